#pragma once

#include "base/error.h"
