#pragma once

#include "base/interrupt.h"
