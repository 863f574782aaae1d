#pragma once

#include "base/suggest.h"
