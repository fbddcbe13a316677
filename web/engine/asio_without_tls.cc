// Asio itself, as transport/socket/asio.cc has it, without OpenSSL.
#include <boost/asio/impl/src.hpp>
