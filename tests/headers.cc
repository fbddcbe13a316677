#include "tests/headers.h"
