// SPDX-License-Identifier: Apache-2.0
// Drives 'ptxsim dap' over a running program (program.c).
// usage: node exec_test.js PTXSIM PROGRAM FILES; ends with "N passed, N failed".
'use strict';
const assert = require('assert');
const fs = require('fs');
const os = require('os');
const path = require('path');
const { spawn } = require('child_process');
const { byEditor, leave, one, wait } = require('./editor.js');

const [ptxsim, program, files] = process.argv.slice(2);
const tests = [];
const test = (name, body) => tests.push({ name, body });
const file = (name) => path.join(files, '..', 'debug', name);
const ptx = file('sum.ptx'), cu = file('sum.cu');

function lineOf(name, words) {
  const at = fs.readFileSync(name, 'utf8').split('\n').findIndex((l) => l.includes(words));
  assert(at >= 0, `${name} has no '${words}'`);
  return at + 1;
}

// Everything that the adapter has said: output by category, and events in their order.
function listen(c) {
  const heard = { stdout: '', stderr: '', console: '', events: [] };
  c.on('output', (e) => { heard[e.body.category] += e.body.output; });
  for (const name of ['stopped', 'breakpoint', 'exited', 'terminated', 'continued', 'process'])
    c.on(name, (e) => heard.events.push(e));
  heard.of = (name) => heard.events.filter((e) => e.event === name).map((e) => e.body);
  return heard;
}

async function launched(c, words, keys) {
  const heard = listen(c);
  await c.initializeRequest({ adapterID: 'ptxsim', linesStartAt1: true, columnsStartAt1: true });
  await Promise.all([c.waitForEvent('initialized'), c.launchRequest(Object.assign({ program, args: words }, keys))]);
  return heard;
}

const lines = (c, name, breakpoints) => c.setBreakpointsRequest({ source: { path: name }, breakpoints }).then((r) => r.body.breakpoints);
const toStop = async (c) => (await Promise.all([c.waitForEvent('stopped'), c.configurationDoneRequest({})]))[0].body;
const toEnd = async (c) => (await Promise.all([c.waitForEvent('exited'), c.waitForEvent('terminated'), c.configurationDoneRequest({})]))[0].body.exitCode;
const move = async (c, request, args) => (await Promise.all([c.waitForEvent('stopped'), c.send(request, args)]))[0].body;
const goOn = async (c) => (await Promise.all([c.waitForEvent('exited'), c.waitForEvent('terminated'), c.send('continue', { threadId: 1 })]))[0].body.exitCode;
const top = async (c, threadId) => (await c.stackTraceRequest({ threadId })).body.stackFrames[0];
const launch = ['load', ptx, 'launch', 'sum', '256'];

test('output, categories apart, and the exit status', async (c) => {
  const heard = await launched(c, ['say', 'one', 'complain', 'two', 'bytes', ...launch, 'exit', '3']);
  assert.strictEqual(await toEnd(c), 3);
  // What is not UTF-8 is shown as '?', with all that came beside it.
  assert.match(heard.stdout, /^one\ncaf(\u00e9|\?\?) and \?\?\nsum: error 0\n$/);
  assert.strictEqual(heard.stderr, 'two\n');
  assert.strictEqual(heard.of('process')[0].startMethod, 'launch');
  assert.strictEqual(heard.of('exited').length, 1);
});

test('a breakpoint in CUDA C waits for its module', async (c) => {
  const heard = await launched(c, [...launch, 'say', 'after']);
  const [wanted, nowhere] = await lines(c, cu, [{ line: 11 }, { line: 9999 }]);
  assert.strictEqual(wanted.verified, false);
  assert.match(wanted.message, /no module/);
  const stopped = await toStop(c);
  assert.strictEqual(stopped.reason, 'breakpoint');
  assert.deepStrictEqual(stopped.hitBreakpointIds, [wanted.id]);
  const told = heard.of('breakpoint');
  assert.deepStrictEqual(told.map((b) => [b.breakpoint.id, b.breakpoint.verified, b.breakpoint.line]), [[wanted.id, true, 11]]);
  assert.notStrictEqual(nowhere.id, wanted.id);
  const frame = await top(c, stopped.threadId);
  assert.strictEqual(frame.line, 11);
  assert.strictEqual(fs.realpathSync(frame.source.path), fs.realpathSync(cu));
  assert.strictEqual(heard.stdout, '');
  await lines(c, cu, []);
  assert.strictEqual(await goOn(c), 0);
  assert.strictEqual(heard.stdout, 'sum: error 0\nafter\n');
});

test('a breakpoint in PTX is told in PTX, also where the program has it from memory', async (c) => {
  const heard = await launched(c, ['data', ptx, 'launch', 'sum', '256']);
  const line = lineOf(ptx, 'bar.sync');
  const [wanted] = await lines(c, ptx, [{ line }]);
  const stopped = await toStop(c);
  assert.deepStrictEqual(stopped.hitBreakpointIds, [wanted.id]);
  const [told] = heard.of('breakpoint');
  assert.strictEqual(told.breakpoint.line, line);
  assert.strictEqual(fs.realpathSync(told.breakpoint.source.path), fs.realpathSync(ptx));
  await lines(c, ptx, []);
  assert.strictEqual(await goOn(c), 0);
});

test('a text that is in no file is asked for, and has breakpoints', async (c) => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'ptxsim-dap-')), copy = path.join(folder, 'gone.ptx');
  fs.writeFileSync(copy, fs.readFileSync(ptx, 'utf8').replace('.file 1 "sum.cu"', '.file 1 "none.cu"'));
  try {
    await launched(c, ['data', copy, 'launch', 'sum', '256', 'launch', 'sum', '256'], { stopOnLaunch: true });
    const frame = await top(c, (await toStop(c)).threadId);
    assert(frame.source.sourceReference > 0);
    const text = (await c.send('source', { source: frame.source, sourceReference: frame.source.sourceReference })).body.content;
    assert.strictEqual(text.trimEnd(), fs.readFileSync(copy, 'utf8').trimEnd());
    const line = lineOf(copy, 'bar.sync');
    const set = (await c.setBreakpointsRequest({ source: frame.source, breakpoints: [{ line }] })).body.breakpoints;
    assert.deepStrictEqual(set.map((b) => [b.verified, b.line, b.source.sourceReference]), [[true, line, frame.source.sourceReference]]);
    assert.strictEqual((await move(c, 'continue', { threadId: 1 })).reason, 'breakpoint');
    await assert.rejects(c.send('source', { sourceReference: 99 }), /no such source/);
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
});

test('machine code: its listing, a line of it, uniform registers', async (c) => {
  await launched(c, ['load', file('machine.cubin'), 'launch', lineOfKernel(), '64'], { stopOnEntry: true });
  const stopped = await toStop(c), frame = await top(c, stopped.threadId);
  assert(frame.source.sourceReference > 0 || /\.cu$/.test(frame.source.path), JSON.stringify(frame));
  const scopes = (await c.scopesRequest({ frameId: frame.id })).body.scopes.map((s) => s.name);
  assert(scopes.includes('Uniform registers'), scopes.join());
  const before = (await c.send('disassemble', { memoryReference: frame.instructionPointerReference, instructionCount: 4 })).body.instructions;
  assert.strictEqual(before.length, 4);
  const at = { instructionReference: before[2].address };
  const set = (await c.send('setInstructionBreakpoints', { breakpoints: [at] })).body.breakpoints;
  assert.strictEqual(set[0].verified, true, JSON.stringify(set));
  assert.strictEqual((await move(c, 'continue', { threadId: 1 })).reason, 'instruction breakpoint');
});

function lineOfKernel() {
  return /^launch (\w+)/m.exec(fs.readFileSync(file('machine.cubin.launch'), 'utf8'))[1];
}

test('stops at launches: all, one kernel, the first, none', async (c) => {
  const heard = await launched(c, ['load', ptx, 'launch', 'sum', '32', 'launch', 'sum', '64'], { stopOnLaunch: true });
  const first = await toStop(c);
  assert.strictEqual(first.reason, 'entry');
  assert.strictEqual(first.description, 'launch 1: sum<<<(1,1,1), (32,1,1)>>>');
  const second = await move(c, 'continue', { threadId: first.threadId });
  assert.strictEqual(second.description, 'launch 2: sum<<<(1,1,1), (64,1,1)>>>');
  assert.strictEqual(await goOn(c), 0);
  assert.strictEqual(heard.of('stopped').length, 2);
});
test('stops at launches of kernels by name', async (c) => {
  const heard = await launched(c, ['load', ptx, 'launch', 'sum', '32'], { stopOnLaunch: ['other', 'sum'] });
  await toStop(c);
  assert.strictEqual(await goOn(c), 0);
  assert.strictEqual(heard.of('stopped').length, 1);
});
test('does not stop at launches of others', async (c) => {
  const heard = await launched(c, ['load', ptx, 'launch', 'sum', '32'], { stopOnLaunch: 'other' });
  assert.strictEqual(await toEnd(c), 0);
  assert.strictEqual(heard.of('stopped').length, 0);
});
test('stopOnEntry: the first launch only', async (c) => {
  await launched(c, [...launch, 'launch', 'sum', '64'], { stopOnEntry: true });
  assert.strictEqual((await toStop(c)).reason, 'entry');
  assert.strictEqual(await goOn(c), 0);
});
test('kernel and launches choose what is debugged', async (c) => {
  await launched(c, [...launch, 'launch', 'sum', '64', 'launch', 'sum', '96'], { kernel: 'sum', launches: '2' });
  assert.match((await toStop(c)).description, /\(64,1,1\)/);
  assert.strictEqual(await goOn(c), 0);
});
test('a kernel that is never launched is told', async (c) => {
  const heard = await launched(c, [...launch], { kernel: 'nope' });
  assert.strictEqual(await toEnd(c), 0);
  assert.match(heard.console, /has launched no kernel 'nope'/);
});
test('a program that never uses the driver is told', async (c) => {
  const heard = await launched(c, ['say', 'hello', 'exit', '7']);
  assert.strictEqual(await toEnd(c), 7);
  assert.match(heard.console, /has not used CUDA's driver/);
  assert.strictEqual(heard.stdout, 'hello\n');
});

test('steps: lines, instructions, back, out, into the next launch', async (c) => {
  await launched(c, [...launch, 'launch', 'sum', '64'], { stopOnEntry: true });
  const { threadId } = await toStop(c);
  const at = async () => (await top(c, threadId)).instructionPointerReference;
  const start = await at();
  await move(c, 'next', { threadId, granularity: 'instruction' });
  assert.strictEqual(BigInt(await at()), BigInt(start) + 1n);
  await move(c, 'stepBack', { threadId, granularity: 'instruction' });
  assert.strictEqual(await at(), start);
  await move(c, 'next', { threadId });
  assert.strictEqual((await top(c, threadId)).line, 7);
  await move(c, 'stepIn', { threadId });
  await move(c, 'stepBack', { threadId });
  await move(c, 'reverseContinue', { threadId });
  assert.strictEqual(await at(), start);
  // A step beyond the end of the launch ends at the next one's beginning.
  let stopped = {};
  for (let k = 0; k < 400 && !/^launch 2: sum<<<\(1,1,1\), \(64,1,1\)>>>$/.test(stopped.description); k++)
    stopped = await move(c, 'next', { threadId: stopped.threadId || threadId });
  assert.strictEqual((await top(c, stopped.threadId)).instructionPointerReference, start);
});

test('threads, lanes, memory, disassembly, evaluating and changing', async (c) => {
  const heard = await launched(c, [...launch]);
  await lines(c, cu, [{ line: 11, condition: '%tid.x == 40' }]);
  const { threadId } = await toStop(c);
  const threads = (await c.threadsRequest()).body.threads;
  assert.strictEqual(threads.length > 1, true);
  assert(threads.every((t) => /^block \(0,0,0\) warp \d$/.test(t.name)), JSON.stringify(threads));
  const frame = await top(c, threadId);
  const scopes = (await c.scopesRequest({ frameId: frame.id })).body.scopes;
  const registers = (await c.variablesRequest({ variablesReference: scopes.find((s) => s.name === 'Registers').variablesReference })).body.variables;
  const t = registers.find((r) => r.name === '%t');
  assert.strictEqual(t.value, '0x28');
  assert.strictEqual((await c.variablesRequest({ variablesReference: t.variablesReference })).body.variables.length, 32);
  assert.strictEqual((await c.evaluateRequest({ expression: '%half * 2', frameId: frame.id })).body.result, '256');
  const shared = (await c.send('readMemory', { memoryReference: 'shared:0x0', count: 8 })).body;
  assert.strictEqual(Buffer.from(shared.data, 'base64').length, 8);
  await c.send('writeMemory', { memoryReference: 'shared:0x0', data: Buffer.from(new Float32Array([5]).buffer).toString('base64') });
  assert.strictEqual((await c.evaluateRequest({ expression: '(.f32)shared[0]', frameId: frame.id })).body.result, '5');
  assert.strictEqual((await c.setVariableRequest({ variablesReference: scopes.find((s) => s.name === 'Registers').variablesReference, name: '%f1', value: '2.5' })).body.value, '2.5');
  const code = (await c.send('disassemble', { memoryReference: frame.instructionPointerReference, instructionCount: 3, instructionOffset: -1 })).body.instructions;
  assert.match(code[1].instruction, /shl.b32/);
  assert.match((await c.evaluateRequest({ expression: 'info warps', frameId: frame.id, context: 'repl' })).body.result, /live 0xffffffff/);
  await lines(c, cu, []);
  assert.strictEqual(await goOn(c), 0);
  assert.match(heard.stdout, /error 0/);
});

test('functions, data, log messages, hit counts', async (c) => {
  const heard = await launched(c, [...launch]);
  const set = (await c.send('setFunctionBreakpoints', { breakpoints: [{ name: 'sum' }, { name: 'nothing' }] })).body.breakpoints;
  assert.deepStrictEqual(set.map((b) => b.verified), [false, false]);
  const stopped = await toStop(c);
  assert.deepStrictEqual(stopped.hitBreakpointIds, [set[0].id]);
  const frame = await top(c, stopped.threadId);
  const info = (await c.send('dataBreakpointInfo', { name: 'part', frameId: frame.id })).body;
  assert(info.dataId, JSON.stringify(info));
  const data = (await c.send('setDataBreakpoints', { breakpoints: [{ dataId: info.dataId, accessType: 'write' }] })).body.breakpoints;
  assert.strictEqual(data[0].verified, true, JSON.stringify(data));
  const again = (await c.send('setDataBreakpoints', { breakpoints: [{ dataId: info.dataId, accessType: 'write' }] })).body.breakpoints;
  assert.strictEqual(again[0].id, data[0].id);
  await c.send('setFunctionBreakpoints', { breakpoints: [] });
  assert.strictEqual((await move(c, 'continue', { threadId: 1 })).reason, 'data breakpoint');
  await c.send('setDataBreakpoints', { breakpoints: [] });
  await lines(c, cu, [{ line: 13, logMessage: 'sum is {%f3}' }, { line: 8, hitCondition: '3' }]);
  const third = await move(c, 'continue', { threadId: 1 });
  assert.strictEqual(third.reason, 'breakpoint');
  await lines(c, cu, [{ line: 13, logMessage: 'half is {%half}' }]);
  assert.strictEqual(await goOn(c), 0);
  assert.match(heard.console, /half is 0/);
});

test('a fault stops where it is, and the program gets its error', async (c) => {
  const heard = await launched(c, ['load', path.join(files, 'fault.ptx'), 'launch', kernelOf('fault.ptx'), '32']);
  await c.send('setExceptionBreakpoints', { filters: ['fault'] });
  const stopped = await toStop(c);
  assert.strictEqual(stopped.reason, 'exception');
  assert((await c.send('exceptionInfo', { threadId: stopped.threadId })).body.exceptionId);
  await goOn(c);
  assert.match(heard.stdout, /error 7\d\d/);
});
const kernelOf = (name) => /\.entry (\w+)/.exec(fs.readFileSync(path.join(files, name), 'utf8'))[1];

test('pause: in a kernel that does not end', async (c) => {
  await launched(c, ['load', path.join(files, 'spin.ptx'), 'launch', kernelOf('spin.ptx'), '32'], { stopOnEntry: true });
  const { threadId } = await toStop(c);
  await c.send('continue', { threadId });
  await wait(300);
  assert.strictEqual((await move(c, 'pause', { threadId })).reason, 'pause');
  assert((await top(c, threadId)).line > 0);
});
// The program's word 'await' with a file; let(), which makes the file; and heard(), when the program has come there.
function gate() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'ptxsim-dap-')), mark = path.join(folder, 'mark');
  return {
    words: ['await', mark],
    let: () => fs.writeFileSync(mark, ''),
    heard: async (heard, times = 1) => { while ((heard.stdout.match(/^waits$/gm) || []).length < times) await wait(10); },
    end: () => fs.rmSync(folder, { recursive: true }),
  };
}
test('pause: in the program itself it stops at the next launch', async (c) => {
  const g = gate(), heard = await launched(c, ['init', ...g.words, ...launch]);
  await c.configurationDoneRequest({});
  await g.heard(heard);
  const stopping = move(c, 'pause', { threadId: 1 });
  while (!/executes its own code/.test(heard.console)) await wait(10);
  g.let();
  assert.strictEqual((await stopping).reason, 'pause');
  assert.strictEqual(await goOn(c), 0);
  g.end();
});
test('breakpoints set and removed while the program runs its own code', async (c) => {
  const g = gate(), heard = await launched(c, [...launch, ...g.words, 'launch', 'sum', '64']);
  await c.configurationDoneRequest({});
  await g.heard(heard);
  assert.strictEqual((await lines(c, cu, [{ line: 11 }]))[0].verified, true);
  assert.strictEqual((await c.threadsRequest()).body.threads[0].name, 'the program');
  const stopped = c.waitForEvent('stopped');
  g.let();
  await stopped;
  assert.strictEqual(heard.of('stopped').length, 1);
  await lines(c, cu, []);
  assert.strictEqual(await goOn(c), 0);
  g.end();
});

test('a module that goes and comes again', async (c) => {
  const heard = await launched(c, [...launch, 'unload', ...launch]);
  const [wanted] = await lines(c, cu, [{ line: 13 }]);
  await toStop(c);
  await move(c, 'continue', { threadId: 1 });
  assert.strictEqual(await goOn(c), 0);
  assert.deepStrictEqual(heard.of('breakpoint').map((b) => [b.breakpoint.id, b.breakpoint.verified]),
    [[wanted.id, true], [wanted.id, false], [wanted.id, true]]);
});

test('two threads that launch: one after the other', async (c) => {
  const heard = await launched(c, ['load', ptx, 'both', 'sum', '64'], { stopOnLaunch: true });
  await toStop(c);
  await move(c, 'continue', { threadId: 1 });
  assert.strictEqual(await goOn(c), 0);
  assert.deepStrictEqual(heard.of('stopped').map((b) => b.description[7]), ['1', '2']);
  assert.match(heard.stdout, /both are done/);
});

for (const [name, words, said] of [
  ['before it uses the driver', ['fork', ...launch], /the child speaks[^]*error 0/],
  ['after that', ['load', ptx, 'late-fork', 'launch', 'sum', '64'], /the child speaks[^]*error 0/],
  ['into two that use it: one is debugged', ['pair', ...launch], /error 0[^]*error 0/]])
  test(`a program that forks, ${name}`, async (c) => {
    const heard = await launched(c, words, { stopOnLaunch: true });
    await toStop(c);
    await wait(200);
    assert.strictEqual(heard.of('stopped').length, 1);
    assert.strictEqual(await goOn(c), 0);
    await wait(name.includes('two') ? 200 : 0);
    if (!name.includes('two'))
      assert.match(heard.stdout, said);
  });
test('a child that keeps the output open does not keep the end back', async (c) => {
  await launched(c, ['linger', ...launch]);
  const before = Date.now();
  assert.strictEqual(await toEnd(c), 0);
  assert(Date.now() - before < 5000);
});

for (const [word, code, signal] of [['crash', 139, 11], ['abort', 134, 6]])
  test(`a program that ends by a signal: ${word}`, async (c) => {
    const heard = await launched(c, [...launch, word]);
    assert.strictEqual(await toEnd(c), code);
    assert.match(heard.console, new RegExp(`ended by signal ${signal}`));
  });
test('killed from outside while a kernel stands', async (c) => {
  const heard = await launched(c, [...launch], { stopOnEntry: true });
  const { threadId } = await toStop(c);
  const ended = Promise.all([c.waitForEvent('exited'), c.waitForEvent('terminated')]);
  process.kill(heard.of('process')[0].systemProcessId, 'SIGKILL');
  assert.strictEqual((await ended)[0].body.exitCode, 137);
  await assert.rejects(c.send('stackTrace', { threadId }).then((r) => assert(r.body.stackFrames.length)), () => true);
  await assert.rejects(c.send('continue', { threadId }), () => true);
});

const isThere = (pid) => { try { process.kill(pid, 0); return !/State:\s+Z/.test(fs.readFileSync(`/proc/${pid}/status`, 'utf8')); } catch (e) { return false; } };
async function gone(pid) {
  for (let k = 0; k < 100 && isThere(pid); k++) await wait(50);
  return !isThere(pid);
}
test('terminate ends the program', async (c) => {
  const heard = await launched(c, [...launch, 'sleep', '60000'], { stopOnEntry: true });
  await toStop(c);
  const ended = c.waitForEvent('terminated');
  await c.send('terminate', {});
  await ended;
  assert.strictEqual(heard.of('exited')[0].exitCode, 143);
});
test('terminate before the program has started', async (c) => {
  const heard = await launched(c, [...launch]);
  await Promise.all([c.waitForEvent('terminated'), c.send('terminate', {})]);
  assert.strictEqual(heard.of('process').length, 0);
});
test('restart is for a new launch', async (c) => {
  await launched(c, [...launch], { stopOnEntry: true });
  await toStop(c);
  await assert.rejects(c.send('restart', {}), /new launch/);
  assert.strictEqual(await goOn(c), 0);
});
test('many launches, and much output, beside an editor that asks', async (c) => {
  const heard = await launched(c, ['load', ptx, 'many', 'sum', '64', 'flood', '400000', 'exit', '6']);
  await lines(c, cu, [{ line: 11, condition: '%tid.x == 777' }]);
  const ended = toEnd(c);
  for (let k = 0; k < 20; k++) await c.threadsRequest();
  assert.strictEqual(await ended, 6);
  assert.strictEqual(heard.stdout.length, 'many: error 0\n'.length + 400000);
  assert.strictEqual(heard.of('stopped').length, 0);
});
test('disconnect ends the program, even one that does not listen', async (c) => {
  const heard = await launched(c, ['ignore-term', ...launch, 'sleep', '60000'], { stopOnEntry: true });
  await toStop(c);
  const pid = heard.of('process')[0].systemProcessId;
  await c.send('terminate', {});
  await wait(200);
  assert(isThere(pid));
  await leave(c, { terminateDebuggee: true });
  assert(await gone(pid));
});
test('the adapter is killed: the program ends with it', async (c) => {
  const heard = await launched(c, [...launch], { stopOnEntry: true });
  await toStop(c);
  c._adapterProcess.kill('SIGKILL');
  assert(await gone(heard.of('process')[0].systemProcessId));
});
test('disconnect lets the program go: out of a kernel that stands, with its breakpoints', async (c) => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'ptxsim-dap-')), mark = path.join(folder, 'mark');
  fs.writeFileSync(path.join(folder, 'run'), `#!/bin/sh\n"$@"; echo $? >'${mark}'\n`, { mode: 0o755 });
  const heard = await launched(c, [program, ...launch, 'say', 'x', 'launch', 'sum', '64', 'sleep', '300', 'exit', '9'],
    { program: path.join(folder, 'run'), exec: true });
  await lines(c, cu, [{ line: 11 }]);
  await toStop(c);
  await leave(c, { terminateDebuggee: false });
  for (let k = 0; k < 100 && !fs.existsSync(mark); k++) await wait(50);
  await wait(50);
  assert.strictEqual(fs.readFileSync(mark, 'utf8').trim(), '9');
  assert.strictEqual(heard.of('exited').length, 0);
  fs.rmSync(folder, { recursive: true });
});
test('disconnect lets go a program that has not used the driver', async (c) => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'ptxsim-dap-')), mark = path.join(folder, 'mark');
  fs.writeFileSync(path.join(folder, 'run'), `#!/bin/sh\nsleep 0.5; "$@"; echo $? >'${mark}'\n`, { mode: 0o755 });
  await launched(c, [program, ...launch, 'exit', '9'], { program: path.join(folder, 'run'), exec: true, stopOnLaunch: true });
  await c.configurationDoneRequest({});
  await leave(c, { terminateDebuggee: false });
  for (let k = 0; k < 100 && !fs.existsSync(mark); k++) await wait(50);
  await wait(50);
  assert.strictEqual(fs.readFileSync(mark, 'utf8').trim(), '9');
  fs.rmSync(folder, { recursive: true });
});

test('env, cwd, standard input, devices', async (c) => {
  const heard = await launched(c, ['getenv', 'GIVEN', 'getenv', 'HOME', 'getenv', 'PTXSIM_DEVICES', 'cwd', 'stdin', 'init', 'getenv', 'PTXSIM_DEBUG'],
    { env: { GIVEN: 'yes', HOME: null }, cwd: os.tmpdir(), devices: 'a100,a100' });
  assert.strictEqual(await toEnd(c), 0);
  assert.deepStrictEqual(heard.stdout.split('\n'), ['yes', 'unset', 'a100,a100', fs.realpathSync(os.tmpdir()), 'no input', 'unset', '']);
});
test('without debugging: nothing stops, faults are told', async (c) => {
  const heard = await launched(c, ['load', path.join(files, 'fault.ptx'), 'launch', kernelOf('fault.ptx'), '32'], { noDebug: true, stopOnLaunch: true });
  await toEnd(c);
  assert.strictEqual(heard.of('stopped').length, 0);
  assert.match(heard.stderr, /out of bounds|address/);
});

for (const [name, keys, why] of [
  ['is not there', { program: '/nowhere/program', exec: true }, /there is no such program/],
  ['is a list', { program: ['a', 'b'], exec: true }, /one "program"/],
  ['env is not one', { env: { A: 1 } }, /"env" must be/],
  ['env has a wrong name', { env: { 'A=B': 'x' } }, /"env" must be/],
  ['launches is not a range', { launches: '5-2' }, /"launches" must be/],
  ['stopOnLaunch is a number', { stopOnLaunch: 3 }, /"stopOnLaunch" must be/],
  ['the folder is not there', { cwd: '/nowhere' }, /cwd/]])
  test(`a program that cannot be launched: ${name}`, async (c) => {
    await c.initializeRequest({ adapterID: 'ptxsim' });
    await assert.rejects(c.launchRequest(Object.assign({ program, args: [] }, keys)), (e) => why.test(e.message) || assert.fail(e.message));
  });
test('the static runtime is told what to do', async (c) => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'ptxsim-dap-')), fake = path.join(folder, 'static');
  const head = fs.readFileSync(program).subarray(0, 4096);
  fs.writeFileSync(fake, Buffer.concat([head, Buffer.from('\0.nvFatBinSegment\0')]), { mode: 0o755 });
  await c.initializeRequest({ adapterID: 'ptxsim' });
  await assert.rejects(c.launchRequest({ program: fake }), /-cudart shared/);
  fs.rmSync(folder, { recursive: true });
});
test('a program that the host cannot start ends at once', async (c) => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'ptxsim-dap-')), bad = path.join(folder, 'bad');
  fs.writeFileSync(bad, 'neither', { mode: 0o755 });
  const heard = await launched(c, [], { program: bad, exec: true });
  assert.strictEqual(await toEnd(c), 2);
  assert.match(heard.console, /Exec format error/);
  fs.rmSync(folder, { recursive: true });
});

// Everything that can be asked, in each state of a session, with arguments that mean nothing.
const requests = ['threads', 'stackTrace', 'scopes', 'variables', 'evaluate', 'setVariable', 'setExpression', 'continue', 'next',
  'stepIn', 'stepOut', 'stepBack', 'reverseContinue', 'restart', 'readMemory', 'writeMemory', 'disassemble', 'source', 'completions',
  'exceptionInfo', 'dataBreakpointInfo', 'setBreakpoints', 'setFunctionBreakpoints', 'setInstructionBreakpoints', 'setDataBreakpoints',
  'setExceptionBreakpoints', 'breakpointLocations', 'ptxsim_state', 'ptxsim_registers', 'ptxsim_memory', 'ptxsim_access', 'ptxsim_matrix',
  'ptxsim_lines', 'ptxsim_text', 'frobnicate', 'launch', 'configurationDone', 'initialize'];
const nonsense = [undefined, {}, { threadId: -1, frameId: 99, variablesReference: 77, name: 'x', value: '1', expression: '%%', text: 'p', column: 900,
  memoryReference: 'nowhere', count: 4, data: '!', instructionCount: 1e9, sourceReference: 5, source: { path: '/x', sourceReference: 9 },
  breakpoints: [{}, { line: -1 }, { name: 7 }, { dataId: 'a:b' }, { instructionReference: '0xffffffffffffffff' }, 5, null] , filters: [1, 'no'], line: -5 },
{ breakpoints: 'no', source: 'no', filters: {}, threadId: 'a', arguments: [] }, { source: null, breakpoints: null }, []];
async function askAll(c, without) {
  for (const name of requests)
    for (const args of nonsense)
      if (!without.includes(name))
        await c.send(name, args).catch(() => {});
}
const motions = ['continue', 'next', 'stepIn', 'stepOut', 'stepBack', 'reverseContinue'];
test('nonsense before the launch, before the start, while the program runs, and at a stop', async (c) => {
  c.defaultTimeout = 5000;
  await askAll(c, ['launch']);
  const heard = listen(c);
  const before = gate(), inside = gate();
  await Promise.all([c.waitForEvent('initialized'), c.launchRequest({ program, stopOnLaunch: true,
    args: [...before.words, 'init', ...inside.words, ...launch, 'exit', '5'] })]);
  await askAll(c, ['configurationDone']);
  const stop = c.waitForEvent('stopped', 30000);
  await c.configurationDoneRequest({});
  await before.heard(heard);
  await askAll(c, []);
  before.let();
  await inside.heard(heard, 2);
  await askAll(c, []);
  inside.let();
  const stopped = await stop;
  await askAll(c, motions);
  assert.strictEqual((await top(c, stopped.body.threadId)).name, 'sum');
  const ended = c.waitForEvent('exited');
  await c.send('continue', { threadId: stopped.body.threadId });
  assert.strictEqual((await ended).body.exitCode, 5);
  await askAll(c, []);
  before.end();
  inside.end();
});

// Messages that are no requests, and an editor that leaves in the middle of whatever happens.
function raw(messages, pause) {
  return new Promise((done) => {
    const server = spawn(ptxsim, ['dap'], { stdio: ['pipe', 'pipe', 'ignore'] });
    let out = '';
    server.stdout.on('data', (d) => { out += d; });
    server.stdin.on('error', () => {});
    server.on('exit', (code, signal) => done({ code, signal, out }));
    (async () => {
      for (const m of messages) {
        if (typeof m === 'number') { await wait(m); continue; }
        const text = typeof m === 'string' ? m : JSON.stringify(m);
        server.stdin.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
      }
      await wait(pause);
      server.stdin.end();
    })();
  });
}
const request = (seq, command, args) => ({ seq, type: 'request', command, arguments: args });
const begun = (words, keys) => [request(1, 'initialize', {}), request(2, 'launch', Object.assign({ program, args: words }, keys)), request(3, 'configurationDone', {})];
for (const pause of [0, 1, 3, 10, 30, 100])
  test(`the editor's input ends ${pause} ms after the start`, async () => {
    const { code, signal, out } = await raw(begun(['load', path.join(files, 'spin.ptx'), 'launch', kernelOf('spin.ptx'), '32'], { stopOnEntry: pause % 2 === 0 }), pause);
    assert.deepStrictEqual([code, signal], [0, null]);
    const pid = /"systemProcessId":(\d+)/.exec(out);
    if (pid) assert(await gone(Number(pid[1])));
  });
test('messages that are no requests while a program runs', async () => {
  const { code, signal } = await raw([...begun(['load', path.join(files, 'spin.ptx'), 'launch', kernelOf('spin.ptx'), '32']), '[]', '5', '"x"', 'not JSON', {}, { type: 'event', event: 'ptxsim_ready' },
    { type: 'response', request_seq: -1 }, { seq: 'x', type: 'request', command: 'threads' }, { seq: -2, type: 'request', command: 'stackTrace' }, 200, '[]', '5', 'not JSON', {}, { command: 7 },
    { seq: -1, type: 'request', command: 'threads' }, request(4, 'disconnect', {})], 300);
  assert.deepStrictEqual([code, signal], [0, null]);
});

async function main() {
  let passed = 0, failed = 0;
  const only = process.argv[5];
  for (const t of tests) {
    if (only && !t.name.includes(only)) continue;
    const good = await one(t.name, () => byEditor(ptxsim, t.body));
    if (good) passed++; else failed++;
  }
  console.log(`${passed} passed, ${failed} failed`);
  process.exit(failed ? 1 : 0);
}

main();
