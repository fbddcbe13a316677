// The functions of browser.h, for emscripten's linker: each hands on to the worker's object `host`, with
// addresses turned into views of memory, which are valid until the function returns.
mergeInto(LibraryManager.library, {
  qvid_js_socket_open: () => Module['host'].socketOpen(),
  qvid_js_socket_send: (socket, bytes, size) =>
    Module['host'].socketSend(socket, HEAPU8.subarray(bytes, bytes + size)),
  qvid_js_socket_waiting: (socket) => Module['host'].socketWaiting(socket),
  qvid_js_socket_close: (socket) => Module['host'].socketClose(socket),
  qvid_js_event: (json) => Module['host'].event(UTF8ToString(json)),
  qvid_js_name_form: (text, size, form, most) => {
    const bytes = new TextEncoder().encode(
      new TextDecoder().decode(HEAPU8.slice(text, text + size)).normalize('NFC'));
    if (bytes.length <= most) HEAPU8.set(bytes, form);
    return bytes.length;
  },
  qvid_js_decode: (decoder, ticket, key, codec, bytes, size) =>
    Module['host'].decode(decoder, ticket, key !== 0, UTF8ToString(codec),
                          HEAPU8.subarray(bytes, bytes + size)),
  qvid_js_decoder_end: (decoder) => Module['host'].decoderEnd(decoder),
  qvid_js_picture_show: (viewer, seat, picture, width, height) =>
    Module['host'].pictureShow(viewer, seat, picture, width, height),
  qvid_js_picture_free: (picture) => Module['host'].pictureFree(picture),
});
