// What the engines ask of the browser: functions of host.js, which hands them to the worker.
// Nothing of the protocol is known on the other side of this file.
//
// Numbers of sockets, pictures and decoders are above zero. Bytes and texts are read before a
// function returns. Thread: the worker's, which is the only one.
#pragma once

extern "C" {

// Begins a WebSocket to the server that the page is from. Its events come by the functions of
// main.cc.
int qvid_js_socket_open();
// Bytes that the browser has taken and not given to the system, this message among them.
int qvid_js_socket_send(int socket, const void* bytes, int size);
int qvid_js_socket_waiting(int socket);
void qvid_js_socket_close(int socket);

// Something for the page to show, as JSON.
void qvid_js_event(const char* json);
// The text in Unicode's form NFC. The size of all of it, in bytes; as many as fit are written.
int qvid_js_name_form(const char* text, int size, char* form, int most);

// A picture in H.264, annex B. `decoder`: begun with the first picture of that number, which is a
// key frame. What becomes of it is told under `ticket`.
void qvid_js_decode(int decoder, int ticket, int key, const char* codec, const void* bytes,
                    int size);
void qvid_js_decoder_end(int decoder);
void qvid_js_picture_show(int viewer, int seat, int picture, int width, int height);
// Nothing is left to see there.
void qvid_js_picture_wipe(int viewer, int seat);
void qvid_js_picture_free(int picture);

// A packet of Opus of so many microseconds; its samples are told under `ticket`. `decoder`: begun with
// its first packet.
void qvid_js_sound_decode(int decoder, int ticket, int duration, const void* bytes, int size);
void qvid_js_sound_decoder_end(int decoder);

// How many bits a second the own pictures may take from now on; 0: none are wanted. `share`: those that
// are shared, not the camera's.
void qvid_js_own_rate(int share, int rate);
}
