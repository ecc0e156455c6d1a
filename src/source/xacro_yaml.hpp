// Values of YAML files that xacro files load.
#pragma once

#include "source/xacro_expression.hpp"
#include "source/yaml.hpp"

namespace ulna::internal {

/// As YAML 1.1 types it, and with the tags of xacro: !degrees, !radians and units. Expressions behind them see `names`. Throws XacroError.
XacroValue yaml_value(const YamlNode& node, const XacroNames& names);

}  // namespace ulna::internal
