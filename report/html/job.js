// A job of many ranks in two pictures: rank × step, and who came when to the operations of a step.

import { heatColor, pageColor, shadeColor } from "./colors.js";
import { unpack, unpackTable } from "./data.js";
import { chooser, dropDown, el, replace } from "./dom.js";
import { count, duration, percent } from "./format.js";
import { matrix, scale } from "./matrix.js";
import { sortableTable } from "./table.js";

const STRONG = 0.25; // So far from the median has the strongest colour.
const MEASURES = [
  ["compute", "Computes"],
  ["waiting", "Waits for others"],
  ["step", "Step"],
];
const MEASURE_WORDS = { compute: "computes", waiting: "waits for others", step: "step takes" };

/** `columns`: what C++ packed (job_columns.h). */
export function jobModel(columns) {
  const times = unpackTable(columns.times, ["worker", "step", "length", "compute", "waiting"]);
  return {
    ranks: [...unpack(columns.ranks)],
    steps: [...unpack(columns.steps)],
    stepsInAll: columns.steps_in_all,
    times: { ...times, step_of: times.step },
    arrivals: columns.arrivals,
    types: columns.types,
  };
}

export function jobFigures(columns, onChoose) {
  const model = jobModel(columns);
  return [jobHeatMap(model, onChoose), jobArrivals(model)];
}

/** Values of a measure: value(rank, step), NaN for none; and the median of a step over ranks. */
function measured(model, measure) {
  const { times, ranks, steps } = model;
  const values = new Float64Array(ranks.length * steps.length).fill(NaN);
  const column = { compute: times.compute, waiting: times.waiting, step: times.length }[measure];
  for (let row = 0; row < times.rows; row++)
    values[times.worker[row] * steps.length + times.step_of[row]] = column[row];
  const medians = steps.map((_, step) => {
    const all = ranks
      .map((_rank, rank) => values[rank * steps.length + step])
      .filter((value) => !Number.isNaN(value))
      .sort((a, b) => a - b);
    return all[all.length >> 1] ?? NaN;
  });
  return { value: (rank, step) => values[rank * steps.length + step], medians };
}

function jobHeatMap(model, onChoose) {
  const { ranks, steps } = model;
  const legend = el("div");
  const lengths = measured(model, "step");
  const pictureOf = (measure) => {
    const { value, medians } = measured(model, measure);
    // Waiting is a part of the step; the others are held against the ranks beside them.
    const isPart = measure === "waiting";
    const share = (rank, step) =>
      isPart ? value(rank, step) / lengths.value(rank, step) : value(rank, step) / medians[step] - 1;
    const color = (rank, step) => {
      const of = share(rank, step);
      if (Number.isNaN(of)) return null;
      return isPart ? shadeColor(of) : heatColor(Math.max(-1, Math.min(1, of / STRONG)));
    };
    replace(legend, isPart ? partScale() : medianScale());
    return {
      label: `Rank × step: ${MEASURE_WORDS[measure]}`,
      columnsTitle: "step",
      rowNames: ranks.map((rank) => `rank ${rank}`),
      columnNames: steps.map(String),
      color,
      describe: (rank, step) => {
        const ns = value(rank, step);
        const where = `Rank ${ranks[rank]}, step ${steps[step]}: `;
        if (Number.isNaN(ns)) return `${where}nothing was recorded.`;
        const words = isPart
          ? `${percent(share(rank, step))} of its step`
          : `${percent(share(rank, step))} from the median of all ranks`;
        return `${where}${MEASURE_WORDS[measure]} ${duration(ns)}, ${words}.`;
      },
      onChoose: onChoose ? (rank) => onChoose(ranks[rank]) : undefined,
    };
  };
  const picture = matrix(pictureOf("compute"));
  const cut =
    model.stepsInAll > steps.length
      ? ` The first ${count(steps.length)} of ${count(model.stepsInAll)} steps.`
      : "";
  return el(
    "figure",
    { class: "job-heat" },
    el("figcaption", {}, `Rank × step: ${count(ranks.length)} ranks, ${count(steps.length)} steps.${cut}`),
    chooser("Colour", MEASURES, "compute", (measure) => picture.redraw(pictureOf(measure))),
    picture,
    legend,
  );
}

function medianScale() {
  const edge = percent(STRONG);
  return scale([
    [`${edge} less than the median rank in this step`, () => heatColor(-1)],
    ["as the median", () => heatColor(0)],
    [`${edge} more`, () => heatColor(1)],
  ]);
}

function partScale() {
  return scale([0, 0.25, 0.5, 1].map((share) => [`${percent(share)} of the step`, () => shadeColor(share)]));
}

/** Joint operations of one step: [{at, type, members: [[worker, late]], last, waited}]. */
function jointsOf(step) {
  const joints = unpackTable(step.joints, ["at", "type", "members"]);
  const members = unpackTable(step.members, ["worker", "late"]);
  const list = [];
  for (let joint = 0, m = 0; joint < joints.rows; joint++) {
    const one = {
      at: joints.at[joint],
      type: joints.type[joint],
      late: new Map(),
      last: 0,
      most: 0,
      waited: 0,
    };
    for (const end = m + joints.members[joint]; m < end; m++) {
      one.late.set(members.worker[m], members.late[m]);
      if (members.late[m] >= one.most) [one.last, one.most] = [members.worker[m], members.late[m]];
    }
    for (const late of one.late.values()) one.waited += one.most - late;
    list.push(one);
  }
  return list;
}

function jobArrivals(model) {
  if (model.arrivals.length === 0) return null;
  const { ranks, types } = model;
  const used = [...new Set(model.arrivals.flatMap((step) => [...unpack(step.joints.type)]))];
  const isMany = model.arrivals.some((step) => unpack(step.joints.members).some((members) => members > 2));
  const kinds = [
    ...(isMany ? [[(joint) => joint.late.size > 2, "of more than two ranks"]] : []),
    [() => true, "all"],
    ...used.map((type) => [(joint) => joint.type === type, types[type]]),
  ];
  const state = { step: model.arrivals[0], isShown: kinds[0][0] };
  const note = el("p", { class: "note" });
  const legend = el("div");
  const pictureOf = () => {
    const joints = jointsOf(state.step).filter(state.isShown);
    const most = Math.max(...joints.map((joint) => joint.most), 1);
    const nameOf = (joint) => `${types[joint.type]} ${duration(joint.at)} into the step`;
    replace(
      legend,
      scale(
        [0, 0.1, 0.4, 1].map((share) => [
          share === 0 ? "first" : `${duration(share * most)} after the first`,
          () => lateColor(share),
        ]),
      ),
    );
    note.textContent =
      state.step.joints.rows < state.step.in_all
        ? `The ${count(state.step.joints.rows)} of ${count(state.step.in_all)} operations of this step at which most was waited.`
        : "";
    table.setRows(joints.map((joint) => ({ ...joint, name: nameOf(joint) })));
    return {
      label: "Arrivals: rank × joint operation of a step",
      columnsTitle: "operation",
      rowNames: ranks.map((rank) => `rank ${rank}`),
      columnNames: joints.map((_, i) => String(i + 1)),
      color: (rank, column) => {
        const late = joints[column].late.get(rank);
        return late === undefined ? null : lateColor(late / most);
      },
      describe: (rank, column) => {
        const joint = joints[column];
        const late = joint.late.get(rank);
        const where = `Rank ${ranks[rank]}, ${nameOf(joint)}: `;
        if (late === undefined) return `${where}takes no part.`;
        const waits = joint.most - late;
        const after = late === 0 ? "came first" : `came ${duration(late)} after the first`;
        return rank === joint.last
          ? `${where}${after}, last of ${count(joint.late.size)}.`
          : `${where}${after}, waited ${duration(waits)} for rank ${ranks[joint.last]}.`;
      },
    };
  };
  const table = sortableTable(
    [
      { title: "Operation", value: (joint) => joint.name },
      {
        title: "Last to come",
        numeric: true,
        value: (joint) => ranks[joint.last],
        show: (joint) => `rank ${ranks[joint.last]}`,
      },
      {
        title: "After the first",
        numeric: true,
        value: (joint) => joint.most,
        show: (joint) => duration(joint.most),
      },
      {
        title: "Waited, all ranks",
        numeric: true,
        value: (joint) => joint.waited,
        show: (joint) => duration(joint.waited),
      },
    ],
    [],
    { caption: "Joint operations of this step, by what was waited at them", sortBy: 3, top: 8 },
  );
  const picture = matrix(pictureOf());
  return el(
    "figure",
    { class: "job-arrivals" },
    el("figcaption", {}, "Arrivals at joint operations: who came late, and who waited for whom"),
    el(
      "div",
      { class: "controls" },
      dropDown(
        "Step",
        model.arrivals.map((step) => [step, `step ${step.step}${step.why ? ` (${step.why})` : ""}`]),
        state.step,
        (step) => {
          state.step = step;
          picture.redraw(pictureOf());
        },
      ),
      dropDown("Operations", kinds, kinds[0][0], (isShown) => {
        state.isShown = isShown;
        picture.redraw(pictureOf());
      }),
    ),
    picture,
    legend,
    note,
    table,
  );
}

/** From the first to the last: the eye finds few that are late among many. */
function lateColor(share) {
  return share === 0 ? pageColor("line") : shadeColor(Math.sqrt(share));
}
