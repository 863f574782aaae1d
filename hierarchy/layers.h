#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hierarchy/hierarchy.h"
#include "hierarchy/steps/step_set.h"

namespace xsp {

// Which nodes of a hierarchy are its layers, so that every piece of work belongs to one at most:
// the innermost nodes of level layer; where there are none, the outermost operations. What analyze,
// leverage, critical-path and diff mean by a layer. Refers to the hierarchy.
class LayerMap {
 public:
  // Where work belongs: a layer, or (is_layer false) the innermost phase, step or process around
  // it.
  struct Place {
    NodeId node;
    bool is_layer = false;

    auto operator<=>(const Place&) const = default;
  };

  // Whether there are layers is found in these steps.
  explicit LayerMap(const Hierarchy& hierarchy, const StepSet& steps = {});

  // kLayer, kOp, or kTrace where the part has neither.
  Level level() const { return level_; }
  Place PlaceOf(NodeId node) const { return places_[node.value]; }

  // The same number for places of the same path: a layer comes again in every step.
  std::uint32_t NumberOf(Place place) const {
    return path_of_[place.node.value] * 2 + (place.is_layer ? 1 : 0);
  }
  std::uint32_t number_count() const { return path_count_ * 2; }

  // "forward/layer 1": the names below the step. "[no layer]" stands in for the layer of work that
  // has none.
  std::string PathOf(Place place) const;

  // What kind of layer it is: its name without numbers ("layer *"), the operators of a TensorRT
  // layer ("Conv + Relu"), the operation's name; after its phase where it has one.
  std::string TypeOf(Place place) const;

 private:
  Level FindLevel(const StepSet& steps) const;
  void NumberPaths();

  const Hierarchy& h_;
  Level level_;
  std::vector<Place> places_;           // By node.
  std::vector<std::uint32_t> path_of_;  // By node down to the level of layers; 0: the step itself.
  std::uint32_t path_count_ = 1;
};

// "Conv + Relu" for "/layer1/conv1/Conv + /layer1/relu/Relu", "blocks.*.attn" for "blocks.7.attn".
std::string KindOfLayerName(std::string_view name);

}  // namespace xsp
