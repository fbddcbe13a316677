// Carries the precompiled header; nothing else.
