"""What CPython makes of the programs: reads them as JSON from stdin, prints value, output or error of each as JSON."""

import ast
import asyncio
import contextlib
import io
import json
import pathlib
import sys
import textwrap
import types

ANSWERS = json.loads((pathlib.Path(__file__).parent / "tools.json").read_text("utf-8"))


async def call_tool(name, arguments):
    """The same tools as those of the test."""
    name = name.split(":")[-1]
    if name == "fail":
        raise RuntimeError("the disk is full")
    answer = ANSWERS[name]
    if name in ("list_orders", "get_text"):
        return json.loads(json.dumps(answer))
    key = str(arguments.get("id", arguments.get("page")))
    if key not in answer:
        raise RuntimeError(f"there is no {key}")
    return json.loads(json.dumps(answer[key]))


def value_of(code, names):
    flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    if any(line.startswith("return ") for line in code.splitlines()):
        declared = "global counter\n" if "global counter" in code else ""
        code = "async def __main__():\n" + textwrap.indent(declared + code, "    ")
        exec(compile(code, "code.py", "exec"), names)
        return asyncio.run(names["__main__"]())
    tree = ast.parse(code)
    if isinstance(tree.body[-1], ast.Expr):
        last = ast.Expression(tree.body.pop().value)
        value = eval(compile(last, "code.py", "eval", flags=flags), names) if not tree.body else None
        if tree.body:
            assignment = ast.Assign([ast.Name("__value__", ast.Store())], last.body)
            tree.body.append(ast.fix_missing_locations(ast.copy_location(assignment, last.body)))
        elif not asyncio.iscoroutine(value):
            return value
    result = eval(compile(tree, "code.py", "exec", flags=flags), names)
    if asyncio.iscoroutine(result):
        asyncio.run(result)
    return names.get("__value__")


def outcome(code):
    module = sys.modules["__main__"] = types.ModuleType("__main__")
    module.__dict__["call_tool"] = call_tool
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        try:
            value = value_of(code, module.__dict__)
            told = {"json": json.dumps(value, ensure_ascii=False, separators=(",", ":"))}
        except Exception as error:
            told = {"error": f"{type(error).__name__}: {error}"}
    return {**told, "printed": printed.getvalue().splitlines()}


print(json.dumps([outcome(code) for code in json.load(sys.stdin)], ensure_ascii=False))
