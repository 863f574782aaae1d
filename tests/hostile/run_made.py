"""Runs xsp on a Kineto trace made to hurt: run_made.py XSP CASE

The cases are programs that no profiler has seen, ten thousands of something that there are few of: each is one
function below. Whatever the file, each command ends in bounded time and memory, as in run_hostile.py.
"""

import json
import pathlib
import sys
import tempfile

from run_hostile import MOST_KB, run

COUNT = 60_000
COMMANDS = [[], ["tree"], ["graph"], ["idle"], ["critical-path"], ["leverage"], ["stats"], ["analyze"], ["level"], ["whatif", "--amp"],
            ["tree", "--format", "chrome", "--output", "/dev/null"], ["diff", "made.json"], ["stats", "-r", "cuda_kern_exec_sum"],
            ["report", "-o", "/dev/null"]]


def launch(number, begin, thread=1, process=1, length=2):
    return {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": process, "tid": thread, "ts": begin, "dur": length,
            "args": {"correlation": number}}


def kernel(number, begin, stream=7, device=0, length=3):
    return {"ph": "X", "cat": "kernel", "name": "k", "pid": device, "tid": stream, "ts": begin, "dur": length,
            "args": {"correlation": number, "stream": stream, "device": device, "context": 1, "grid": [1, 1, 1], "block": [1, 1, 1]}}


def nested_launches():
    """Ranges in ranges, each with a launch: what is added up along all those above is quadratic."""
    events = []
    for i in range(COUNT // 2):
        events += [{"ph": "X", "cat": "user_annotation", "name": f"r{i}", "pid": 1, "tid": 1, "ts": 5 * i, "dur": 10 * COUNT - 10 * i},
                   launch(i, 5 * i + 1), kernel(i, 5 * i + 4)]
    return events


def processes():
    return pairs(lambda i: (launch(i, 5 * i, process=i), kernel(i, 5 * i + 3)))


def unnamed_calls():
    return [event for i in range(100) for event in (launch(i, 5 * i) | {"name": ""}, kernel(i, 5 * i + 3))]


def odd_device():
    return [event for i in range(100) for event in (launch(i, 5 * i), kernel(i, 5 * i + 3, device=2**31 + 7 if i % 3 else 0))]


def pairs(of_number):
    return [event for number in range(COUNT) for event in of_number(number)]


def streams():
    return pairs(lambda i: (launch(i, 5 * i), kernel(i, 5 * i + 3, stream=i)))


def at_once():
    """All kernels run at the same time: each has all others beside it."""
    return pairs(lambda i: (launch(i, 5 * i), kernel(i, 5 * i + 3, stream=i % 500, length=10 * COUNT + 7 * i)))


def threads():
    return pairs(lambda i: (launch(i, 5 * i, thread=i), kernel(i, 5 * i + 3)))


def devices():
    return pairs(lambda i: (launch(i, 5 * i), kernel(i, 5 * i + 3, device=i)))


def one_correlation():
    return pairs(lambda i: (launch(7, 5 * i), kernel(7, 5 * i + 3)))


def reversed_calls():
    """The last call launched the first kernel: most kernels begin before their calls."""
    return pairs(lambda i: (launch(i, 5 * (COUNT - i)), kernel(i, 5 * i + 3)))


def no_time():
    return pairs(lambda i: (launch(i, 5, length=0), kernel(i, 5, length=0)))


def nested(category, name, more):
    ranges = [{"ph": "X", "cat": category, "name": f"{name}{i}", "pid": 1, "tid": 1, "ts": i, "dur": 4 * COUNT - 2 * i, "args": more(i)}
              for i in range(COUNT)]
    return [*ranges, launch(1, 2 * COUNT), kernel(1, 2 * COUNT + 3)]


def nested_operations():
    return nested("cpu_op", "op", lambda i: {"External id": i})


def nested_modules():
    return nested("python_function", "nn.Module: L_", lambda i: {"Python id": i, "Python parent id": i - 1 or None, "Python module id": i})


def symbols():
    """Kernels whose names double with every few bytes: in full they would take gigabytes."""
    references = [f"S{digit}_" for digit in "0123456789ABCDEFGHIJKLMN"]
    bomb = "_Z1f1AI1BE" + "".join(f"S_I{back}{back}E" for back in references)
    return [event for i in range(1000) for event in (launch(i, 5 * i), kernel(i, 5 * i + 3) | {"name": f"{bomb}{'i' * (i % 50)}"})]


HEAD = '{"metadata": '
EVENTS = ', "traceEvents": [' + ", ".join(json.dumps(event) for event in (launch(1, 5), kernel(1, 8))) + "]}"


def long_metadata():
    return HEAD + json.dumps("x" * 100_000_000) + EVENTS


def deep_metadata():
    return HEAD + "[" * 50_000_000 + "]" * 50_000_000 + EVENTS


def endless_metadata():
    return HEAD + '"' + "x" * 100_000_000


def text_of(made):
    """Events, or the text of a whole file whose head is made to hurt: of that nothing is to be kept."""
    return made if isinstance(made, str) else json.dumps({"schemaVersion": 1, "deviceProperties": [], "traceEvents": made})


def main():
    xsp, case = sys.argv[1:]
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        made = globals()[case]()
        (folder / "made.json").write_text(text_of(made))
        commands, most_kb = (COMMANDS[:2], 150_000) if isinstance(made, str) else (COMMANDS, MOST_KB)
        problems = [(command, run(xsp, [*command[:1], "made.json", *command[1:]], folder, most_kb)[0]) for command in commands]
    wrong = [f"{' '.join(command) or 'first screen'}: {problem}" for command, problem in problems if problem]
    print("\n".join(wrong) or "fine")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
