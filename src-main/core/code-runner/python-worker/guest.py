"""What the model's Python finds inside: its tools, its event loop, and how its value and its errors leave. Part of the engine's image."""

import ast
import asyncio
import base64
import bisect
import builtins
import calendar
import collections
import collections.abc
import contextlib
import copy
import csv
import dataclasses
import datetime
import decimal
import difflib
import enum
import fractions
import functools
import hashlib
import heapq
import html
import io
import itertools
import json
import linecache
import math
import operator
import os
import pprint
import random
import re
import secrets
import statistics
import string
import sys
import textwrap
import time
import traceback
import types
import typing
import unicodedata
import urllib.parse
import uuid
import warnings
import zoneinfo

from _tooltray_line import Line, refusal, run, use_line

FILE = "code.py"
MOST_FRAMES = 10
MOST_REQUESTS = 100
VALUE = "__value__"
ASSIGNED = "__assigned__"
LONGEST_ASSIGNED = 1 << 20
NOTHING = object()
NOTHING_TEXT = "undefined"

NAME_WORDS = ("name", "tool_name", "tool")
ARGUMENT_WORDS = ("params", "args", "arguments")

JAVASCRIPT_NAMES = {
    *("true", "false", "null", "undefined", "NaN", "Infinity", "console", "globalThis", "Math", "JSON", "Object", "Array", "Promise"),
    *("Number", "String", "Boolean", "Date", "Map", "Set", "RegExp", "Error", "BigInt", "Symbol", "parseInt", "parseFloat", "setTimeout"),
    *("fetch", "require", "process", "Buffer", "XMLHttpRequest", "window", "document"),
}
MODULES_WITHOUT_USE = {"ctypes", "_ctypes", "multiprocessing", "socket", "_socket", "ssl", "subprocess", "_posixsubprocess"}
MODULES_OF_THE_HOST = ("js", "pyodide", "pyodide_js", "_pyodide", "_pyodide_core", "_pyodide_datetime")
WHAT_THERE_IS = "There is Python's standard library only, without network, processes, threads and files to write: use call_tool(name, args)."


# --- What tools are called with, and what their results mean.


def first(words, named):
    return next((named[word] for word in words if named.get(word) is not None), None)


def call_payload(given, named):
    """`(name, arguments)` or `(server, tool, arguments)`; the arguments as a dictionary, as JSON text, or by their own names."""
    if len(given) > 1 and isinstance(given[1], str) and not given[1].lstrip().startswith("{"):
        arguments = given[2] if len(given) > 2 else first(ARGUMENT_WORDS, named)
        return call_text(f"{given[0]}:{given[1]}", {} if arguments is None else arguments)
    name = given[0] if given else first(NAME_WORDS, named)
    server = None if given else named.get("server")
    own = {word: value for word, value in named.items() if given or word not in (*NAME_WORDS, "server")}
    arguments = given[1] if len(given) > 1 else first(ARGUMENT_WORDS, named)
    return call_text(f"{server}:{name}" if server else name, own if arguments is None else arguments)


def call_text(name, arguments):
    if not isinstance(name, str) or not name:
        raise TypeError("call_tool: the name of the tool must be a text.")
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except ValueError:
            raise TypeError("call_tool: the arguments are a text that is not JSON.") from None
    if not isinstance(arguments, dict):
        raise TypeError("call_tool: the arguments must be a dictionary.")
    return json_text({"name": name, "args": arguments})


def batch_payloads(requests):
    if not isinstance(requests, (list, tuple)):
        raise TypeError('call_tools: give it a list of {"name": …, "args": …}.')
    if len(requests) > MOST_REQUESTS:
        raise TypeError(f"call_tools: {len(requests)} requests are more than {MOST_REQUESTS}.")
    payloads = []
    for request in requests:
        call = request if isinstance(request, dict) else {}
        server, name, arguments = call.get("server"), first(NAME_WORDS, call), first(ARGUMENT_WORDS, call)
        payloads.append(call_text(f"{server}:{name}" if server else name, {} if arguments is None else arguments))
    return payloads


def unwrap(result):
    """structuredContent; else the one text, parsed where it is JSON; else the one item; else all of them; None for none."""
    if not isinstance(result, dict):
        return result
    if result.get("isError") is True:
        texts = [item.get("text") for item in result.get("content") or [] if isinstance(item, dict)]
        words = "\n".join(text for text in texts if isinstance(text, str) and text)
        raise refusal({"code": "UPSTREAM_ERROR", "message": words or "The tool reported an error and gave no reason."})
    if result.get("structuredContent") is not None:
        return result["structuredContent"]
    if not isinstance(result.get("content"), list):
        return result
    items = [item_value(item) for item in result["content"]]
    return None if not items else items[0] if len(items) == 1 else items


def item_value(item):
    if not (isinstance(item, dict) and item.get("type") == "text" and isinstance(item.get("text"), str)):
        return item
    text = item["text"]
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    # A number or word is taken as such only if it reads back to the letter: "007", "1.0" and long ids stay texts.
    return value if isinstance(value, (dict, list)) or json.dumps(value, ensure_ascii=False) == text else text


def slot(question_end):
    try:
        return {"ok": True, "result": question_end()}
    except (RuntimeError, TypeError) as error:
        code = "INVALID_ARGS" if isinstance(error, TypeError) else "RUNTIME_ERROR"
        return {"ok": False, "error": {"code": getattr(error, "code", code), "message": str(error)}}


def raw(result):
    """MCPProxy's style: the result as the server gave it, or its failure."""
    if isinstance(result, dict) and result.get("isError") is True:
        unwrap(result)
    return result


# --- The names that the code finds.


def tool_functions(line, helpers, is_blocking, questions):
    """The documented functions. In the style of `execute` they are coroutines, in that of `code_execution` they answer at once."""
    read = raw if is_blocking else unwrap

    def start(what, payload, meaning):
        question = line.ask(what, payload, meaning)
        questions.append(question)
        return question

    async def wait_for(question):
        if question.answer is None:
            question.future = asyncio.get_running_loop().create_future()
            try:
                await question.future
            except asyncio.CancelledError:
                question.is_open = False
                raise
        return question.outcome()

    def answer(question):
        return line.wait(question) if is_blocking else named_coroutine(wait_for(question))

    def call_tool(*given, **named):
        if is_blocking:
            return slot(lambda: line.wait(start("call", call_payload(given, named), read)))
        return answer(start("call", call_payload(given, named), read))

    def call_tools(requests=None, options=None, **named):
        payloads = batch_payloads(requests if requests is not None else first(("calls", "requests"), named))
        started = [start("call", payload, read) for payload in payloads]
        if is_blocking:
            return [slot(lambda question=question: line.wait(question)) for question in started]

        async def all_of_them():
            slots = []
            for question in started:
                try:
                    slots.append({"ok": True, "result": await wait_for(question)})
                except RuntimeError as error:
                    slots.append(slot(functools.partial(throw, error)))
            return slots

        return all_of_them()

    def search(query="", limit=None):
        return answer(start("search", json_text({"query": str(query), "limit": limit}), same))

    def get_schema(names=(), **named):
        given = names or first(("tools", "name"), named) or []
        listed = [str(name) for name in given] if isinstance(given, (list, tuple, set)) else [str(given)]
        return answer(start("schema", json_text({"names": listed}), same))

    def sql(source, query):
        return answer(start("sql", json_text({"source": source, "query": str(query)}), same))

    def helper(name, parameters):
        def call_helper(*given, **named):
            return call_tool(name, {**dict(zip(parameters, given)), **named})

        call_helper.__name__ = call_helper.__qualname__ = name
        return call_helper

    functions = {name: helper(name, parameters) for name, parameters in helpers.items()}
    named = {"call_tool": call_tool, "call_tools": call_tools, "search": search, "get_schema": get_schema, "sql": sql}
    return {**functions, **named}


def named_coroutine(coroutine):
    coroutine.__name__ = coroutine.__qualname__ = "call_tool"
    return coroutine


def same(value):
    return value


def throw(error):
    raise error


# --- The code: parsed, with its last expression as its value, run, told.


def parse(code):
    """Raises SyntaxError, and what a parser that runs out of stack or memory raises."""
    return ast.parse(code, FILE)


def at_the_top(nodes):
    """What runs in the module's own frame: bodies of functions and classes are left out."""
    for node in nodes:
        yield node
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            inner = [*node.decorator_list, *node.args.defaults, *(each for each in node.args.kw_defaults if each)]
        elif isinstance(node, ast.ClassDef):
            inner = [*node.decorator_list, *node.bases]
        elif isinstance(node, ast.Lambda):
            inner = []
        else:
            inner = ast.iter_child_nodes(node)
        yield from at_the_top(inner)


def compile_code(code):
    """The code object, and whether it gives the value by returning it."""
    tree = parse(code)
    top = list(at_the_top(tree.body))
    returns = [node for node in top if isinstance(node, ast.Return)]
    keep_last_value(tree.body)
    if returns:
        for node in returns:
            node.value = node.value or ast.copy_location(ast.Name(VALUE, ast.Load()), node)
        tree.body.append(ast.Return(ast.Name(VALUE, ast.Load())))
        return in_function(tree, any(is_asynchronous(node) for node in top)), True
    flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    return compile(tree, FILE, "exec", flags=flags, dont_inherit=True), False


def keep_last_value(body):
    """Stores the value of the last expression, or of the last assignment to a name. Loops have no last value."""
    last = body[-1] if body else None
    if isinstance(last, ast.Expr):
        body[-1] = stored(VALUE, last.value, last)
    elif isinstance(last, (ast.Assign, ast.AnnAssign, ast.AugAssign)) and last.value is not None:
        target = last.targets[-1] if isinstance(last, ast.Assign) else last.target
        if isinstance(target, ast.Name):
            body.append(stored(ASSIGNED, ast.copy_location(ast.Name(target.id, ast.Load()), last), last))
    elif isinstance(last, (ast.With, ast.AsyncWith)):
        keep_last_value(last.body)
    elif isinstance(last, ast.If):
        keep_last_value(last.body)
        keep_last_value(last.orelse)
    elif isinstance(last, (ast.Try, ast.TryStar)):
        keep_last_value(last.orelse or last.body)
        for handler in last.handlers:
            keep_last_value(handler.body)
    elif isinstance(last, ast.Match):
        for case in last.cases:
            keep_last_value(case.body)


def stored(name, value, place):
    return ast.copy_location(ast.Assign([ast.copy_location(ast.Name(name, ast.Store()), place)], value), place)


def is_asynchronous(node):
    return isinstance(node, (ast.Await, ast.AsyncFor, ast.AsyncWith)) or getattr(node, "is_async", 0) == 1


def in_function(tree, is_async):
    """A `return` at the top: the body of a function whose names are those of the module all the same."""
    body = [assignment(statement) for statement in tree.body]
    names = function_code(body, [], is_async)
    own = sorted({*names.co_varnames, *names.co_cellvars})
    return function_code(body, [ast.Global(own)] if own else [], is_async)


def assignment(statement):
    """A name that is declared global cannot be annotated."""
    if not isinstance(statement, ast.AnnAssign) or not isinstance(statement.target, ast.Name):
        return statement
    if statement.value is None:
        return ast.copy_location(ast.Pass(), statement)
    return ast.copy_location(ast.Assign([statement.target], statement.value), statement)


def function_code(body, head, is_async):
    arguments = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])
    kind = ast.AsyncFunctionDef if is_async else ast.FunctionDef
    function = kind(name="<module>", args=arguments, body=[*head, *body], decorator_list=[], type_params=[])
    module = ast.fix_missing_locations(ast.Module([function], []))
    code = compile(module, FILE, "exec", dont_inherit=True)
    return next(each for each in code.co_consts if isinstance(each, types.CodeType))


def execute(code, names):
    program, returns = compile_code(code)
    if program.co_flags & (0x20 | 0x200):
        raise SyntaxError("'yield' outside function")
    names[VALUE] = NOTHING
    result = eval(program, names)
    if program.co_flags & 0x80:
        result = run(result)
    return value_text(result if returns else names.get(VALUE, NOTHING), names)


def value_text(value, names):
    """The value as JSON. Without one: what the last statement assigned, where JSON can express it, else NOTHING_TEXT."""
    # A last expression without a value is `print(...)`, or a function that returns nothing.
    if value is not NOTHING and not (value is None and names.get(VALUE) is None):
        return json_text(value)
    assigned = names.get(ASSIGNED)
    # An iterator may have no end, and nobody asked for its members.
    if assigned is None or isinstance(assigned, collections.abc.Iterator):
        return NOTHING_TEXT
    try:
        text = json_text(assigned)
    except Exception:
        return NOTHING_TEXT
    return text if len(text) <= LONGEST_ASSIGNED else NOTHING_TEXT


def json_text(value):
    """Raises TypeError with the code SERIALIZATION_ERROR for what JSON has no words for."""
    try:
        return json.dumps(plain(value), ensure_ascii=False, separators=(",", ":"))
    except RecursionError:
        raise unserializable("It is nested too deep.") from None
    except ValueError as error:
        raise unserializable(str(error)) from None


def plain(value):
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, enum.Enum):
        return plain(value.value)
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key_text(key): plain(member) for key, member in value.items()}
    if isinstance(value, (list, tuple, set, frozenset, range, map, filter, zip, types.GeneratorType, collections.deque)):
        return [plain(member) for member in value]
    if isinstance(value, (type({}.keys()), type({}.values()), type({}.items()), enumerate, reversed)):
        return [plain(member) for member in value]
    if isinstance(value, (bytes, bytearray)):
        return list(value)
    if isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, (datetime.timedelta, decimal.Decimal, fractions.Fraction, uuid.UUID, datetime.tzinfo)):
        return str(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if value is Ellipsis:
        return "..."
    raise unserializable(why_not(value))


def why_not(value):
    if asyncio.iscoroutine(value) or asyncio.isfuture(value):
        return "It holds a coroutine; write await before it."
    if isinstance(value, (types.FunctionType, types.BuiltinFunctionType, types.MethodType)):
        return "It holds a function; call it."
    return f"It holds a {type(value).__name__}; give its parts as a dictionary."


def key_text(key):
    if isinstance(key, str):
        return key
    if key is None or isinstance(key, (bool, int, float)):
        return json.dumps(key)
    if isinstance(key, (enum.Enum, datetime.date, uuid.UUID, decimal.Decimal)):
        return str(plain(key))
    raise unserializable("A dictionary has a key that is neither text nor number.")


def unserializable(words):
    error = TypeError(f"The value cannot be written as JSON: {words}")
    error.code = "SERIALIZATION_ERROR"
    return error


def describe(error, is_syntax):
    """The error as it is reported: its code, its words, and the lines of the code as it was given."""
    kind = type(error).__name__
    words = error.msg if isinstance(error, SyntaxError) and error.msg else exception_text(error)
    text = (f"{kind}: {words}" if words else kind) + hint(error, words)
    if isinstance(error, SyntaxError) and (is_syntax or error.filename == FILE):
        code = "SYNTAX_ERROR" if is_syntax else "RUNTIME_ERROR"
        return {"code": code, "message": text, **({"line": error.lineno} if error.lineno else {})}
    code = "MEMORY_LIMIT" if isinstance(error, MemoryError) else getattr(error, "code", None)
    if code == "SERIALIZATION_ERROR":
        text = words
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == FILE]
    frames = frames[::-1][:MOST_FRAMES]
    described = {"code": code if isinstance(code, str) else "SYNTAX_ERROR" if is_syntax else "RUNTIME_ERROR", "message": text}
    if not frames:
        return described
    places = [f"    at {frame.name} ({FILE}:{frame.lineno}:{(frame.colno or 0) + 1})" for frame in frames]
    described |= {"line": frames[0].lineno, "column": (frames[0].colno or 0) + 1}
    return described | {"stack": "\n".join([text, *places])}


def exception_text(error):
    try:
        return str(error)
    except Exception:
        return ""


def hint(error, words):
    if isinstance(error, ModuleNotFoundError) and "." not in (error.name or ""):
        return f". {WHAT_THERE_IS}" if WHAT_THERE_IS not in words else ""
    if isinstance(error, zoneinfo.ZoneInfoNotFoundError):
        return ". There are no time zones in here but UTC: use timezone(timedelta(hours=…))."
    if "coroutine" in words and isinstance(error, (TypeError, AttributeError)):
        return ". Write await before the call."
    if isinstance(error, NameError) and error.name in ("true", "false", "null"):
        return ". Python writes True, False and None."
    if "can't start new thread" in words:
        return ". There are no threads in here: use await asyncio.gather(…)."
    return ""


class WithoutUse:
    """Says at the import what would fail later, and that nothing of the host is here."""

    def find_spec(self, name, path=None, target=None):
        root = name.partition(".")[0]
        if root in MODULES_WITHOUT_USE or root in MODULES_OF_THE_HOST:
            raise ModuleNotFoundError(f"No module named {name!r}. {WHAT_THERE_IS}", name=name)
        return None


def forget_the_host():
    """What the engine brings along to reach JavaScript; the host's side of it is shut off as well."""
    for name in [*sys.modules]:
        if name.partition(".")[0] in (*MODULES_OF_THE_HOST, *MODULES_WITHOUT_USE):
            del sys.modules[name]
    for finder in [*sys.meta_path]:
        if getattr(type(finder), "__module__", "").startswith("_pyodide") or "pyodide" in repr(finder):
            sys.meta_path.remove(finder)
    sys.meta_path.insert(0, WithoutUse())
    sys.excepthook = sys.__excepthook__
    sys.path[:] = [each for each in sys.path if each.endswith(".zip")]


line = None


def serve():
    """One order of the host: whether code is Python, or a run of it. Called by the host."""
    global line
    if line is None:
        forget_the_host()
        line = Line()
    number, ok, text = line.receive(0)
    order = json.loads(text)
    if order["kind"] == "check":
        return line.send({"kind": "checked", **check(order["code"])})
    error, value = outcome(line, order)
    return line.send({"kind": "done", "error": error}, value)


def check(code):
    try:
        compile_code(code)
        return {"foreign": speaks_javascript(ast.parse(code))}
    except Exception as error:
        return {"error": describe(error, True)}


def speaks_javascript(tree):
    """Python that could only fail: it uses names that JavaScript has and Python has not, or names its keys without quotes."""
    bound, used, keys = set(), set(), set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            (used if isinstance(node.ctx, ast.Load) else bound).add(node.id)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            bound.add(node.name)
        elif isinstance(node, ast.arg):
            bound.add(node.arg)
        elif isinstance(node, ast.alias):
            bound.add((node.asname or node.name).partition(".")[0])
        elif isinstance(node, ast.Dict):
            keys |= {key.id for key in node.keys if isinstance(key, ast.Name)}
    return bool((used & JAVASCRIPT_NAMES | keys) - bound - set(dir(builtins)))


def outcome(line, order):
    """The error, or None and the value as JSON."""
    deadline = time.monotonic() + order["limits"]["timeMs"] / 1000
    questions = []
    module = sys.modules["__main__"] = types.ModuleType("__main__")
    names = module.__dict__
    names |= {"__builtins__": builtins, "input": order["input"]}
    names |= tool_functions(line, order["helpers"], order["style"] == "code_execution", questions)
    code = order["code"]
    linecache.cache[FILE] = (len(code), None, code.splitlines(keepends=True), FILE)
    use_line(line)
    random.seed()
    warnings.filterwarnings("ignore", "coroutine 'call_tool' was never awaited")
    sys.stdout.reconfigure(line_buffering=True)
    try:
        if "error" in (checked := check(code)):
            return checked["error"], None
        text = execute(code, names)
    except SystemExit:
        text = NOTHING_TEXT
    except BaseException as error:
        return describe(error, False), None
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
    line.rest(questions, deadline)
    sys.stdout.flush()
    return None, text
