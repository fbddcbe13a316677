# qvid_embed(VARIABLE SYMBOL FILE): adds C++ text to the variable, which puts the file's bytes into
# read-only data, as SYMBOL[] up to SYMBOL_end[], of the type `const unsigned char`.
#
# ccache keeps no file that has .incbin, so a changed file is never missed; the source that has the
# text is to name the file in its OBJECT_DEPENDS, and is in no unity build.
function(qvid_embed variable symbol file)
  string(APPEND ${variable} "asm(\".section .rodata\\n\"\n"
         "    \"${symbol}: .incbin \\\"${file}\\\"\\n\"\n"
         "    \"${symbol}_end:\\n\"\n"
         "    \".globl ${symbol}, ${symbol}_end\\n\"\n"
         "    \".previous\\n\");\n"
         "extern \"C\" const unsigned char ${symbol}[], ${symbol}_end[];\n")
  set(${variable} "${${variable}}" PARENT_SCOPE)
endfunction()
