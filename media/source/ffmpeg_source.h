// Cameras, screens, files and URLs, through FFmpeg.
//
// Decodes on the thread that reads; no thread of its own beyond those of FFmpeg's decoder for large
// pictures. Pacing: a file is held to its timestamps and, where its reader is late by more than a
// second, goes on from there; a device or a stream gives frames as they come, and a camera's reader
// always gets the newest one.
//
// Sound of files and URLs goes where the options say, on the timeline of the pictures: both have as
// `captured` the instant at which the picture was to be shown. Sound is there before its time, for
// which packets are read ahead (media/source/packet_reader.h). It ends with the last picture; a
// file without sound gives none.
#pragma once

#include <memory>
#include <stop_token>

#include "base/result.h"
#include "media/source/video_source.h"

namespace qvid::media {

// Precondition: spec.kind is not kTest and the options are sound (open_source checks them).
// After a request to stop, `read` gives EndOfStream.
Result<std::unique_ptr<VideoSource>> open_ffmpeg_source(const SourceSpec& spec,
                                                        const SourceOptions& options,
                                                        std::stop_token stop);

// The size of a source as its device or file states it. Opens and closes the source.
Result<PictureSize> probe_size(const SourceSpec& spec);

}  // namespace qvid::media
