"""read_exports.py XSP FORMAT: whether what `xsp export` writes holds what the trace does.

Every file is read by somebody else's reader, or by one written here from the format's own description, on samples of
several kinds and, where they are, on a few real traces.
"""
import collections
import json
import pathlib
import subprocess
import sys
import tarfile
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/datasets"))
from make_ranks import LATER_NS, make_ranks

SAMPLES = [ROOT / "sample_traces" / f"{name}.sqlite" for name in ("two_gpu", "train_hostbound", "streams", "graphs", "hpc_old")]
REAL = ROOT.parent / "shared" / "traces"
MORE = [REAL / path for path in (
    "nsys/lizhieffe__assignment2-systems__ddp53.sqlite",
    "nsys/YoonKyonghwan__EfficientCenterFormer__poolformer_18a90564.sqlite",
    "kineto/tracelens_vllm_mixed.json.gz",
)]
XSP = sys.argv[1]


def run(*arguments, code=0):
    done = subprocess.run([XSP, *map(str, arguments)], capture_output=True)
    assert done.returncode == code, f"{arguments}: exit {done.returncode}: {done.stderr.decode()}"
    return done.stdout


def told(*arguments):
    return json.loads(run(*arguments, "--format", "json"))


def traces(with_host_only=True):
    host_only = ("YoonKyonghwan",)
    found = SAMPLES + [trace for trace in MORE if trace.exists()]
    return [t for t in found if with_host_only or not t.name.startswith(host_only)]


def counts_of(trace):
    return told("info", trace)["counts"]


def operations_of(trace):
    counts = counts_of(trace)
    return sum(counts.get(kind) or 0 for kind in ("kernel", "memcpy", "memset", "graph_span", "migration"))


def export(trace, folder, to, *options):
    out = folder / f"{trace.name}.{to}"
    report = told("export", trace, "--to", to, "-o", out, *options)
    sizes = sum(pathlib.Path(file).stat().st_size for file in report["written"])
    assert report["bytes"] == sizes > 0, f"{trace.name}: says {report['bytes']} bytes, wrote {sizes}"
    return out, {row["what"]: row["count"] for row in report["contents"]}


def perfetto_messages():
    try:
        from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as messages
    except ImportError:
        sys.exit("skipped: no message classes of Perfetto (./dev setup)")
    return messages


def read_perfetto(data, name):
    """What a trace of Perfetto holds, where numbers resolve and slices nest: {operation: those it waited for}, slices, the first time."""
    document = perfetto_messages().Trace()
    document.ParseFromString(data)
    tracks, names, specifications = set(), set(), set()
    open_slices = collections.defaultdict(list)
    work, slices, first = {}, 0, None
    last_end = collections.defaultdict(int)
    for packet in document.packet:
        names |= {entry.iid for entry in packet.interned_data.event_names}
        specifications |= {entry.iid for entry in packet.interned_data.gpu_specifications}
        if packet.HasField("track_descriptor"):
            parent = packet.track_descriptor.parent_uuid
            assert not parent or parent in tracks, "a track below one that is not there"
            tracks.add(packet.track_descriptor.uuid)
        elif packet.HasField("track_event"):
            event = packet.track_event
            assert event.track_uuid in tracks, "an event on no track"
            if event.type == event.TYPE_SLICE_BEGIN:
                assert event.name_iid in names, "a slice without a name"
                assert packet.timestamp >= last_end[event.track_uuid], "slices that overlap"
                open_slices[event.track_uuid].append(packet.timestamp)
                slices += 1
            elif event.type == event.TYPE_SLICE_END:
                assert packet.timestamp >= open_slices[event.track_uuid].pop(), "an end before its begin"
                last_end[event.track_uuid] = packet.timestamp
        elif packet.HasField("gpu_render_stage_event"):
            event = packet.gpu_render_stage_event
            assert event.event_id not in work, "two operations with one number"
            assert {event.hw_queue_iid, event.stage_iid} <= specifications, "work without a name"
            work[event.event_id] = list(event.event_wait_ids)
            first = packet.timestamp if first is None else min(first, packet.timestamp)
    assert not any(open_slices.values()), "a slice that never ends"
    for event, awaited in work.items():
        assert set(awaited) <= work.keys() - {event}, f"{name}: waits for what is not there"
    return work, slices, first


def check_perfetto(folder):
    perfetto_messages()
    for trace in traces():
        out, says = export(trace, folder, "perfetto")
        work, slices, _ = read_perfetto(out.read_bytes(), trace.name)
        assert len(work) == operations_of(trace) == says["device operations"], trace.name
        assert slices == says["slices"] and slices > 0, trace.name
        if work:
            check_waits(trace, sum(map(len, work.values())), says)
        without, fewer = export(trace, folder, "perfetto", "--no-waits")
        assert fewer["waits"] == 0 and without.stat().st_size <= out.stat().st_size


def check_archive(folder):
    """Ranks of a run as one TAR: Python reads it, every file is a trace, offsets are those of the clocks."""
    perfetto_messages()
    ranks = make_ranks(folder / "files", 3)
    run("import", *ranks, "--dataset", folder / "jobs", "--run", "nightly", "--quiet")
    for given in ([folder / "jobs" / "run=nightly"], ranks):
        out = folder / "run.tar"
        report = told("export", *given, "--to", "perfetto", "-o", out)
        assert report["bytes"] == out.stat().st_size
        with tarfile.open(out) as archive:
            members = archive.getmembers()
            assert all(member.isfile() and member.uid == member.mtime == 0 for member in members)
            files = {member.name: archive.extractfile(member).read() for member in members}
        manifest = json.loads(files.pop("perfetto_manifest.json"))["perfetto_manifest"]
        assert manifest["version"] == 1 and members[0].name == "perfetto_manifest.json"
        assert [file["path"] for file in manifest["files"]] == list(files) == [f"rank{i}.pftrace" for i in range(3)]
        assert [file["machine"]["name"] for file in manifest["files"]] == [f"rank {i}" for i in range(3)]
        assert "clocks" not in manifest["files"][0]
        # Each recording began so much later, and nothing else is different.
        for rank, file in enumerate(manifest["files"][1:], 1):
            assert file["clocks"] == {"sync_to": {"file": "rank0.pftrace", "clock": "BOOTTIME"}, "offset_ns": rank * LATER_NS}
        alone, _ = export(ranks[1], folder, "perfetto")
        assert files["rank1.pftrace"] == alone.read_bytes(), "a rank is not what it is alone"
        for name, data in files.items():
            assert read_perfetto(data, name)[0]
    (one,) = told("export", folder / "jobs" / "run=nightly", "--rank", "2", "--to", "perfetto", "-o", folder / "two.pftrace")["written"]
    assert read_perfetto(pathlib.Path(one).read_bytes(), one)[0]
    run("export", *ranks, "--to", "folded", "-o", folder / "no", code=2)
    assert not list(folder.glob("*.parts")) and not list(folder.glob(".*parts*")), "what was worked with is left"


def check_waits(trace, waits, says):
    """As many waits between operations as the graph has."""
    graph = told("graph", trace, "--edges")
    host = {node["task"] for node in graph["nodes"] if node["kind"] in ("call", "before", "load", "os_call")}
    known = {
        (e["from"], e["to"])
        for e in graph["edge_list"]
        if not {e["from"], e["to"]} & host and e["from"] != e["to"] and e["from_point"] == "finish"
    }
    assert waits == len(known), f"{trace.name}: {waits} waits, the graph has {len(known)}"
    assert says["waits"] >= waits


def check_chrome(folder):
    for trace in traces():
        out, _ = export(trace, folder, "chrome")
        events = json.loads(out.read_text())["traceEvents"]
        spans = collections.defaultdict(list)
        for event in events:
            if event["ph"] == "X":
                spans[event["pid"], event["tid"]].append((event["ts"], -event["dur"]))
        for lane in spans.values():
            ends = []
            for begin, length in sorted(lane):
                end = begin - length
                while ends and ends[-1] <= begin + 1e-4:
                    ends.pop()
                assert not ends or end <= ends[-1] + 1e-3, f"{trace.name}: spans that cross"
                ends.append(end)
        begun = {event["id"] for event in events if event["ph"] == "s"}
        assert begun == {event["id"] for event in events if event["ph"] == "f"}, "arrows with one end"
        assert bool(begun) == (operations_of(trace) > 0), trace.name


def folded(trace, folder, *options):
    out, says = export(trace, folder, "folded", *options)
    stacks = {}
    for line in out.read_text().splitlines():
        stack, _, weight = line.rpartition(" ")
        stacks[stack] = stacks.get(stack, 0) + int(weight)
    assert sum(stacks.values()) == says["ns"], trace.name
    return stacks


def check_folded(folder):
    for trace in traces(with_host_only=False):
        stacks = folded(trace, folder)
        root = told("tree", trace, "--min-share", "0")["root"]
        total = sum(stacks.values())
        assert abs(total - root["device_sum_ns"]) <= len(stacks), f"{trace.name}: {total} for {root['device_sum_ns']}"
        path = told("critical-path", trace)
        total = sum(folded(trace, folder, "--weight", "path").values())
        assert abs(total - path["total_ns"]) <= 0.02 * path["total_ns"] + 100, f"{trace.name}: path {total}"
        assert folded(trace, folder, "--weight", "host")
    run("export", SAMPLES[0], "--to", "perfetto", "--weight", "host", "-o", folder / "no", code=2)
    assert not (folder / "no").exists()


def check_speedscope(folder):
    for trace in traces(with_host_only=False):
        out, says = export(trace, folder, "speedscope")
        document = json.loads(out.read_text())
        frames = document["shared"]["frames"]
        (profile,) = document["profiles"]
        assert profile["type"] == "sampled" and profile["unit"] == "nanoseconds"
        assert len(profile["samples"]) == len(profile["weights"]) == says["stacks"]
        assert all(0 <= frame < len(frames) for sample in profile["samples"] for frame in sample)
        assert sum(profile["weights"]) == profile["endValue"] == sum(folded(trace, folder).values())


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at


def fields(data):
    """The fields of a message as (number, value): integers, or bytes."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
        elif key & 7 == 1:
            value, at = data[at : at + 8], at + 8
        else:
            length, at = varint(data, at)
            value, at = data[at : at + length], at + length
            assert len(value) == length, "a message that was cut"
        yield key >> 3, value


def chakra_nodes(file):
    data = file.read_bytes()
    at, messages = 0, []
    while at < len(data):
        length, at = varint(data, at)
        messages.append(data[at : at + length])
        at += length
    for message in messages[1:]:  # The first is the metadata.
        node = {"deps": [], "attributes": {}}
        for number, value in fields(message):
            if number in (4, 5):
                position = 0
                while position < len(value):
                    dep, position = varint(value, position)
                    node["deps"].append(dep)
            elif number == 10:
                attribute = dict(fields(value))
                name = attribute.pop(1).decode()
                node["attributes"][name] = next(iter(attribute.values()))
            else:
                node[number] = value
        yield node


def check_chakra(folder):
    for trace in traces(with_host_only=False):
        out, says = export(trace, folder, "chakra")
        count = collectives = 0
        groups = json.loads((out / "comm_group.json").read_text())
        for file in sorted(out.glob("*.et")):
            seen, rank = set(), int(file.suffixes[-2][1:])
            for node in chakra_nodes(file):
                assert node[1] not in seen, "two nodes with one number"
                assert set(node["deps"]) <= seen, f"{trace.name}: a node before what it depends on"
                seen.add(node[1])
                assert node[3] in (2, 3, 4, 7) and node[2], trace.name
                if node[3] == 7:
                    collectives += 1
                    assert rank in groups[node["attributes"]["pg_name"].decode()]
            count += len(seen)
        assert count == says["nodes"] >= operations_of(trace), trace.name
        assert bool(groups) == bool(collectives), trace.name
    changed, _ = export(SAMPLES[1], folder / "after", "chakra", "--amp")
    names = {node[2] for file in changed.glob("*.et") for node in chakra_nodes(file)}
    assert any(b"cast" in name for name in names), "the changed program lacks what was put in"


def check_parquet(folder):
    try:
        import duckdb
    except ImportError:
        sys.exit("skipped: no DuckDB (./dev setup)")
    for trace in traces(with_host_only=False):
        out, says = export(trace, folder, "parquet")
        rows, broken, own, busy = duckdb.sql(
            f"""SELECT count(*), count(*) FILTER (own_ns + waiting_ns <> end_ns - begin_ns OR own_ns < 0),
                sum(own_ns), sum(end_ns - begin_ns) FROM '{out}'"""
        ).fetchall()[0]
        assert rows == says["operations"] and not broken and 0 < own <= busy, trace.name
        assert rows <= operations_of(trace), trace.name
        causes = duckdb.sql(f"SELECT DISTINCT idle_cause FROM '{out}' WHERE idle_before_ns > 0").fetchall()
        assert causes and all(cause for (cause,) in causes), trace.name


def main():
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "after").mkdir()
        globals()[f"check_{sys.argv[2]}"](folder)
    print(f"{sys.argv[2]}: {len(traces())} traces")


main()
