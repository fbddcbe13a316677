// The functions of browser.h, for emscripten's linker: each hands on to the worker's object `host`, with
// addresses turned into views of memory, which are valid until the function returns.
mergeInto(LibraryManager.library, {
  qvid_js_socket_open: function() {
    return Module['host'].socketOpen();
  },
  qvid_js_socket_send: function(socket, bytes, size) {
    return Module['host'].socketSend(socket, HEAPU8.subarray(bytes, bytes + size));
  },
  qvid_js_socket_waiting: function(socket) {
    return Module['host'].socketWaiting(socket);
  },
  qvid_js_socket_close: function(socket) {
    Module['host'].socketClose(socket);
  },
  qvid_js_event: function(json) {
    Module['host'].event(UTF8ToString(json));
  },
  qvid_js_name_form: function(text, size, form, most) {
    var plain = new TextDecoder().decode(HEAPU8.slice(text, text + size));
    var bytes = new TextEncoder().encode(plain.normalize('NFC'));
    if (bytes.length <= most) HEAPU8.set(bytes, form);
    return bytes.length;
  },
  qvid_js_decode: function(decoder, ticket, key, codec, bytes, size) {
    Module['host'].decode(decoder, ticket, key !== 0, UTF8ToString(codec),
                          HEAPU8.subarray(bytes, bytes + size));
  },
  qvid_js_decoder_end: function(decoder) {
    Module['host'].decoderEnd(decoder);
  },
  qvid_js_picture_show: function(viewer, seat, picture, width, height) {
    Module['host'].pictureShow(viewer, seat, picture, width, height);
  },
  qvid_js_picture_wipe: function(viewer, seat) {
    Module['host'].pictureWipe(viewer, seat);
  },
  qvid_js_picture_free: function(picture) {
    Module['host'].pictureFree(picture);
  },
  qvid_js_sound_decode: function(decoder, ticket, duration, bytes, size) {
    Module['host'].soundDecode(decoder, ticket, duration, HEAPU8.subarray(bytes, bytes + size));
  },
  qvid_js_sound_decoder_end: function(decoder) {
    Module['host'].soundDecoderEnd(decoder);
  },
  qvid_js_own_rate: function(share, rate) {
    Module['host'].ownRate(share !== 0, rate);
  },
});
