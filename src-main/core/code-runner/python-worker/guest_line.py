"""The line to the host, and asyncio over it: whoever waits or sleeps inside waits for the next answer. Part of the engine's image."""

import asyncio
import json
import math
import os
import time

DEVICE = "/dev/tooltray"


class Line:
    """
    Questions under way, and the answers to them. The line is one device: a message is one write, what it carries a second one; an
    answer is read after waiting for it.
    """

    def __init__(self):
        self.file = os.open(DEVICE, os.O_RDWR)
        self.pending = {}
        self.last = 0

    def send(self, message, payload=None):
        os.write(self.file, json.dumps(message | {"carries": payload is not None}).encode())
        if payload is not None:
            os.write(self.file, payload.encode("utf-8", "replace"))

    def receive(self, seconds):
        """The next answer, or None when there was none in so many seconds; waits for ever for None."""
        self.send({"kind": "wait", "ms": None if seconds is None else max(0, math.ceil(seconds * 1000))})
        head = os.read(self.file, 64)
        if not head:
            return None
        number, ok, size = (int(part) for part in head.split())
        text = bytearray()
        while len(text) < size:
            text += os.read(self.file, size - len(text))
        return number, ok == 1, text.decode()

    def ask(self, what, payload, read):
        self.last += 1
        question = self.pending[self.last] = Question(read)
        self.send({"kind": "question", "id": self.last, "what": what}, payload)
        return question

    def deliver(self, seconds):
        """Hands answers to whoever waits for them; False when none came in time."""
        answer = self.receive(seconds)
        if answer is None:
            return False
        while answer is not None:
            question = self.pending.pop(answer[0], None)
            if question is not None:
                question.end(*answer[1:])
            answer = self.receive(0) if self.pending else None
        return True

    def wait(self, question):
        while question.answer is None:
            self.deliver(None)
        return question.outcome()

    def rest(self, questions, deadline):
        """Calls that nobody awaits run to their end as well, as long as there is time."""
        while self.pending:
            if not self.deliver(max(0, deadline - time.monotonic())):
                print("error: What was not awaited did not end.")
                break
        for question in questions:
            if question.is_open and question.answer is not None:
                try:
                    question.outcome()
                except Exception as error:
                    print(f"error: A call that was not awaited failed: {error}")


class Question:
    """A question and, once it is there, its answer."""

    def __init__(self, read):
        self.read = read
        self.answer = None
        self.future = None
        self.is_open = True

    def end(self, ok, text):
        self.answer = (ok, text)
        if self.future is not None and not self.future.done():
            self.future.set_result(None)

    def outcome(self):
        self.is_open = False
        ok, text = self.answer
        self.answer = (ok, "")
        if not ok:
            raise refusal(json.loads(text))
        return self.read(json.loads(text))


def refusal(given):
    error = RuntimeError(given["message"])
    error.code = given["code"]
    return error


class Selector:
    def __init__(self, line):
        self.line = line

    def select(self, timeout):
        if timeout is None and not self.line.pending:
            raise RuntimeError("The code waits for something that never comes.")
        if self.line.pending or timeout:
            self.line.deliver(timeout)
        return []

    def close(self):
        pass


class Loop(asyncio.base_events.BaseEventLoop):
    line = None

    def __init__(self):
        super().__init__()
        self._selector = Selector(Loop.line)

    def _process_events(self, events):
        pass

    def _write_to_self(self):
        pass

    def run_in_executor(self, executor, function, *given):
        """There are no threads: it runs at once."""
        future = self.create_future()
        try:
            future.set_result(function(*given))
        except Exception as error:
            future.set_exception(error)
        return future

    def run_until_complete(self, future):
        """As CPython's; inside of a running loop as well, which it holds up, as the tools' answers come to all loops."""
        outer = asyncio._get_running_loop()
        if outer is None:
            return super().run_until_complete(future)
        if outer is self:
            raise RuntimeError("This event loop is already running")
        task = asyncio.current_task(outer)
        asyncio._set_running_loop(None)
        if task is not None:
            asyncio.tasks._leave_task(outer, task)
        try:
            return super().run_until_complete(future)
        finally:
            asyncio._set_running_loop(outer)
            if task is not None:
                asyncio.tasks._enter_task(outer, task)


class Policy(asyncio.events._BaseDefaultEventLoopPolicy):
    _loop_factory = Loop

    def get_event_loop(self):
        if self._local._loop is None or self._local._loop.is_closed():
            self.set_event_loop(self.new_event_loop())
        return self._local._loop


async def cancel_all(tasks):
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def run(main, *, debug=None, loop_factory=None):
    """asyncio.run, which models also write where a loop is running already."""
    if not asyncio.iscoroutine(main):
        raise ValueError(f"a coroutine was expected, got {main!r}")
    loop = Loop()
    try:
        return loop.run_until_complete(main)
    finally:
        loop.run_until_complete(cancel_all(asyncio.all_tasks(loop)))
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()


def sleep(seconds):
    """Waits without work; answers that come meanwhile are kept."""
    if seconds < 0:
        raise ValueError("sleep length must be non-negative")
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        Loop.line.deliver(left)


def use_line(line):
    """Gives asyncio and time.sleep their line."""
    Loop.line = line
    asyncio.events._set_event_loop_policy(Policy())
    asyncio.run = asyncio.runners.run = run
    time.sleep = sleep
