#!/usr/bin/env python3
"""What is known of the real Kineto traces, found by the commands alone: kineto_figures.py XSP PART

The figures were counted by others: HTA's own tests, and people who recorded the pairs. Each check
says what it compares; the first that fails ends the run.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

TRACES = pathlib.Path(__file__).resolve().parents[3] / "shared" / "traces" / "kineto"


def ask(xsp, command, trace, *options):
    """The JSON of a command on a trace; without a command, of the first look."""
    arguments = [xsp, *([command] if command else []), str(TRACES / f"{trace}.json.gz"), *options, "--format", "json"]
    done = subprocess.run(arguments, capture_output=True)
    assert done.returncode == 0, f"{arguments}: exit {done.returncode}: {done.stderr.decode()}"
    return json.loads(done.stdout)


def near(what, got, want, share=0.01):
    print(f"{what}: {got:g}, known {want:g}")
    assert abs(got - want) <= share * abs(want), f"{what}: {got}, known: {want}"


def below(node):
    """A node of the tree and all nodes under it."""
    yield node
    for child in node["children"]:
        yield from below(child)


def kernels_of_step(xsp, trace):
    """Per step: kernels by name, as (count, ns), from `tree` alone. Copies and memsets are in brackets."""
    found = {}
    for node in below(ask(xsp, "tree", trace, "--min-share", "0", "--names", "full")["root"]):
        if node["level"] == "device" and not node["name"].startswith("[CUDA"):
            count, ns = found.get(node["name"], (0, 0))
            found[node["name"]] = (count + node["count"], ns + node["device_sum_ns"])
    return found


def hta(xsp):
    """HTA's tests of its critical path: the second run of AlexNet's forward pass."""
    graph = ask(xsp, "graph", "hta_critical_path_simple_add", "--edges", "--nvtx",
                "[param|pytorch.model.alex_net|0|0|0|measure|forward]/1")
    tasks = {node["task"]: node for node in graph["nodes"]}

    def into(task, kind):
        return [tasks[edge["from"]] for edge in graph["edge_list"] if edge["to"] == task["task"] and edge["type"] == kind]

    # HTA's fft kernel is the one of the second stream; its delay is counted from the begin of the call.
    fft = next(n for n in tasks.values() if "fft2d_r2c_32x32<float, false, 0u, false>" in n["name"])
    near("launch of the fft kernel, us", (fft["begin_ns"] - into(fft, "submit")[0]["begin_ns"]) / 1e3, 27, 0)
    behind = next(n for n in tasks.values() if fft in into(n, "stream_order"))
    near("kernel to kernel, us", (behind["begin_ns"] - fft["end_ns"]) / 1e3, 7, 0)
    sync = max((n for n in tasks.values() if n["name"].startswith("cudaDeviceSynchronize")), key=lambda n: n["begin_ns"])
    last = max((n for n in tasks.values() if n["kind"] == "kernel"), key=lambda n: n["end_ns"])
    assert into(sync, "host_sync") == [last], "cudaDeviceSynchronize waits for the last kernel"

    # Where streams wait for events of others.
    for trace, waits in (("hta_cuda_event_sync_multi_stream", 1), ("hta_critical_path_alexnet", 6)):
        graph = ask(xsp, "graph", trace, "--edges")
        tasks = {node["task"]: node for node in graph["nodes"]}
        crossing = [e for e in graph["edge_list"] if e["type"] == "event_wait" and tasks[e["from"]]["track"] != tasks[e["to"]]["track"]]
        near(f"waits across streams, {trace}", len(crossing), waits, 0)
    # One stream: there the host waits for the event.
    assert ask(xsp, "graph", "hta_cuda_event_sync")["edges"]["host_sync"] == 3
    near("event records", ask(xsp, "info", "hta_cuda_event_sync_multi_stream")["counts"]["event_record"], 3, 0)

    # Temporal and kernel breakdowns are whole.
    for trace in ("hta_rank0", "hta_rank1", "hta_nccl"):
        idle = ask(xsp, "idle", trace)
        for device in idle["devices"]:
            assert sum(c["ns"] for c in device["causes"]) == device["idle_ns"], f"{trace}: causes of idle time"
        root = ask(xsp, "tree", trace, "--steps", "all", "--min-share", "0")["root"]
        work = sum(n["device_sum_ns"] for n in below(root) if n["level"] == "device")
        assert work == root["device_sum_ns"], f"{trace}: kernels, copies and memsets are all of the device's work"


def t4_pair(xsp):
    """One flag differs: fp32, and autocast to fp16. Three steps each."""
    known = {"mlp_t4_fp32": (29, 5.345, 3.95, 8), "mlp_t4_amp": (52, 2.554, 0.76, 3)}
    for trace, (count, ms, gemm_ms, loose) in known.items():
        kernels = kernels_of_step(xsp, trace)
        near(f"{trace}: kernels per step", sum(c for c, _ in kernels.values()), count, 0)
        near(f"{trace}: kernels, ms per step", sum(ns for _, ns in kernels.values()) / 1e6, ms)
        gemm = sum(ns for name, (_, ns) in kernels.items() if "gemm" in name or "s884" in name or "s1688" in name)
        near(f"{trace}: GEMM, ms per step", gemm / 1e6, gemm_ms, 0.02)
        # What was launched before the recording is counted, and belongs to no step.
        reasons = ask(xsp, "info", trace)["log"]["reasons"]
        assert [r["count"] for r in reasons if r["reason"] == "unlinked"] == [loose], reasons


def resnet_workers(xsp):
    """Data-loader workers 0 and 4: the step gets shorter, the kernels do not."""
    step, loading, work = [], [], []
    for trace in ("resnet50_num_workers_0", "resnet50_num_workers_4"):
        rows = ask(xsp, "stats", trace, "-r", "nvtx_sum")["reports"][0]["rows"]
        steps = [row["Total Time (ns)"] for row in rows if row["Range"].lstrip(":").startswith("ProfilerStep#")]
        step.append(sum(steps) / len(steps) / 1e6)
        # The first step got its data before it began.
        causes = ask(xsp, "idle", trace, "--steps", "2-6")["devices"][0]["causes"]
        loading.append(sum(c["ns"] for c in causes if c["cause"] == "data_loading") / 1e6)
        work.append(sum(row["Total Time (ns)"] for row in ask(xsp, "stats", trace, "-r", "cuda_gpu_kern_sum")["reports"][0]["rows"]) / 1e6)
    near("workers 0: step, ms", step[0], 174.83, 0.0001)
    near("workers 4: step, ms", step[1], 139.69, 0.0001)
    near("workers 0: kernels, ms", work[0], 591.5, 0.001)
    near("workers 4: kernels, ms", work[1], 594.9, 0.001)
    # The difference of the steps is time in which the GPU waited for data.
    near("data loading, ms less per step", loading[0] - loading[1], 57, 0.1)


def ranks(xsp):
    """Two files of one job become one trace, and strangers are refused."""
    with tempfile.TemporaryDirectory() as folder:
        stored = pathlib.Path(folder) / "job.xsp"
        files = [str(TRACES / f"hta_rank{i}.json.gz") for i in (0, 1)]
        done = subprocess.run([xsp, "import", "--merge", *files, "-o", stored, "--format", "json"], capture_output=True, check=True)
        merge = json.loads(done.stdout)["merge"]
        assert merge[1]["joined_by"] == "collectives" and merge[1]["residual_ns"] < 100_000, merge
        near("kernels of both", json.loads(done.stdout)["rows"]["kernel"], 1154 + 1104, 0)
        strangers = [str(TRACES / f"{name}.json.gz") for name in ("mlp_t4_fp32", "mlp_t4_amp")]
        done = subprocess.run([xsp, "import", "--merge", *strangers, "-o", stored.with_name("no.xsp")], capture_output=True)
        assert done.returncode == 2 and b"not ranks of one job" in done.stderr, done


def main(xsp, part):
    if not TRACES.is_dir():
        print(f"skipped: no real traces in {TRACES}")
        return 0
    {"hta": hta, "t4_pair": t4_pair, "resnet_workers": resnet_workers, "ranks": ranks}[part](xsp)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
