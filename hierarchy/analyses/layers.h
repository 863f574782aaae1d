#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hierarchy/hierarchy.h"

namespace xsp {

// Which nodes of a hierarchy are its layers, so that every piece of work belongs to one at most:
// the innermost nodes of level layer; where there are none, the outermost operations.
class LayerMap {
 public:
  // Where work belongs: a layer, or (is_layer false) the innermost phase, step or process around
  // it.
  struct Place {
    NodeId node;
    bool is_layer = false;

    auto operator<=>(const Place&) const = default;
  };

  // `steps` limits the search for layers to these steps; none: the whole trace.
  LayerMap(const Hierarchy& hierarchy, const std::optional<std::vector<std::uint32_t>>& steps);

  // kLayer, kOp, or kTrace where the part has neither.
  Level level() const { return level_; }
  Place PlaceOf(NodeId node) const { return places_[node.value]; }

  // "forward/layer 1": the names below the step. "[no layer]" stands in for the layer of work that
  // has none.
  std::string PathOf(Place place) const;

  // What kind of layer it is: its name without numbers ("layer *"), the operators of a TensorRT
  // layer ("Conv + Relu"), the operation's name; after its phase where it has one.
  std::string TypeOf(Place place) const;

 private:
  Level FindLevel(const std::optional<std::vector<std::uint32_t>>& steps) const;

  const Hierarchy& h_;
  Level level_;
  std::vector<Place> places_;  // By node.
};

// "Conv + Relu" for "/layer1/conv1/Conv + /layer1/relu/Relu", "blocks.*.attn" for "blocks.7.attn".
std::string KindOfLayerName(std::string_view name);

}  // namespace xsp
