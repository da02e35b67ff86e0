// SPDX-License-Identifier: Apache-2.0
// Drives 'ptxsim dap' with the client that VS Code's own adapters are tested with.
// usage: node dap_test.js PTXSIM SAMPLES FILES; ends with "N passed, N failed".
'use strict';
const assert = require('assert');
const fs = require('fs');
const net = require('net');
const os = require('os');
const path = require('path');
const { spawn } = require('child_process');
const { DebugClient } = require('@vscode/debugadapter-testsupport');
const { byEditor, leave, one } = require('./editor.js');

const [ptxsim, samples, files] = process.argv.slice(2);
const sample = (name) => path.join(samples, name);
const tests = [];
const test = (name, body) => tests.push({ name, body });

// The number of the first line that holds `words` and is no comment.
function lineOf(file, words) {
  const lines = fs.readFileSync(file, 'utf8').split('\n');
  const at = lines.findIndex((l) => !l.trim().startsWith('//') && l.includes(words));
  assert(at >= 0, `${file} has no '${words}'`);
  return at + 1;
}

async function launched(client, options) {
  await client.initializeRequest({ adapterID: 'ptxsim', linesStartAt1: true, columnsStartAt1: true });
  await Promise.all([client.waitForEvent('initialized'), client.launchRequest(options)]);
}

async function stopAt(client, file, breakpoints, options) {
  await launched(client, Object.assign({ program: file }, options));
  const set = await client.setBreakpointsRequest({ source: { path: file }, breakpoints });
  const [, stopped] = await Promise.all([client.configurationDoneRequest({}), client.waitForEvent('stopped')]);
  return { set: set.body.breakpoints, stopped: stopped.body };
}

async function top(client, threadId) {
  return (await client.stackTraceRequest({ threadId })).body.stackFrames[0];
}

async function move(client, request, args) {
  const [, stopped] = await Promise.all([client.send(request, args), client.waitForEvent('stopped')]);
  return stopped.body;
}

async function scope(client, frameId, name) {
  const scopes = (await client.scopesRequest({ frameId })).body.scopes;
  const found = scopes.find((s) => s.name === name);
  assert(found, `no scope ${name}`);
  return (await client.variablesRequest({ variablesReference: found.variablesReference })).body.variables;
}

test('capabilities', async (c) => {
  const body = (await c.initializeRequest({ adapterID: 'ptxsim' })).body;
  for (const can of ['StepBack', 'DataBreakpoints', 'DisassembleRequest', 'InstructionBreakpoints', 'ReadMemoryRequest', 'SteppingGranularity'])
    assert.strictEqual(body['supports' + can], true, can);
  assert(body.exceptionBreakpointFilters.some((f) => f.filter === 'fault' && f.default));
});

test('runs to the end and tells the expectations', async (c) => {
  await launched(c, { program: sample('vecadd.ptx') });
  const [, exited, output] = await Promise.all([c.configurationDoneRequest({}), c.waitForEvent('exited'), c.waitForEvent('output')]);
  assert.strictEqual(exited.body.exitCode, 0);
  assert.match(output.body.output, /expectations? hold/);
});

test('stops on entry, at the first instruction', async (c) => {
  await launched(c, { program: sample('saxpy.ptx'), stopOnEntry: true });
  const [, stopped] = await Promise.all([c.configurationDoneRequest({}), c.waitForEvent('stopped')]);
  assert.strictEqual(stopped.body.reason, 'entry');
  const frame = await top(c, stopped.body.threadId);
  assert.strictEqual(frame.name, 'saxpy');
});

test('a breakpoint with a condition, and one that is at no instruction', async (c) => {
  const file = sample('saxpy.ptx'), line = lineOf(file, 'fma.rn.f32');
  const at = await stopAt(c, file, [{ line, condition: '%tid.x == 37' }, { line: 99999 }]);
  assert.deepStrictEqual(at.set.map((b) => b.verified), [true, false]);
  assert.strictEqual(at.stopped.reason, 'breakpoint');
  const frame = await top(c, at.stopped.threadId);
  assert.strictEqual(frame.line, line);
  assert.strictEqual(fs.realpathSync(frame.source.path), fs.realpathSync(file));
  const tid = await c.evaluateRequest({ expression: '%tid.x', frameId: frame.id, context: 'hover' });
  assert.strictEqual(tid.body.result, '37');
  const special = await scope(c, frame.id, 'Special registers');
  for (const name of ['%tid.x', '%ntid.y', '%ctaid.z', '%laneid'])
    assert(special.some((v) => v.name === name), name);
});

test('hit counts', async (c) => {
  const file = sample('saxpy.ptx'), line = lineOf(file, 'fma.rn.f32');
  await stopAt(c, file, [{ line, hitCondition: '3' }]);
  const special = await c.evaluateRequest({ expression: '%tid.x / 32', context: 'watch' });
  assert.strictEqual(special.body.result, '2');
});

test('a log point prints and goes on', async (c) => {
  const file = sample('saxpy.ptx'), line = lineOf(file, 'fma.rn.f32');
  await launched(c, { program: file });
  await c.setBreakpointsRequest({ source: { path: file }, breakpoints: [{ line, logMessage: 'a is {%f1}', condition: '%ctaid.x == 1' }] });
  const [, log] = await Promise.all([c.configurationDoneRequest({}), c.waitForEvent('output'), c.waitForEvent('exited')]);
  assert.match(log.body.output, /^a is -?[0-9.]+\n$/);
});

test('steps an instruction on and back, to the same registers', async (c) => {
  const file = sample('saxpy.ptx'), line = lineOf(file, 'fma.rn.f32');
  const { stopped } = await stopAt(c, file, [{ line }]);
  const threadId = stopped.threadId;
  const before = await scope(c, (await top(c, threadId)).id, 'Registers');
  await move(c, 'next', { threadId, granularity: 'instruction' });
  assert.strictEqual((await top(c, threadId)).line, lineOf(file, 'st.global.f32'));
  await move(c, 'stepBack', { threadId, granularity: 'instruction' });
  const frame = await top(c, threadId);
  assert.strictEqual(frame.line, line);
  const after = await scope(c, frame.id, 'Registers');
  assert.deepStrictEqual(after.map((v) => [v.name, v.value]), before.map((v) => [v.name, v.value]));
});

test('goes back to the breakpoint before', async (c) => {
  const file = sample('saxpy.ptx'), line = lineOf(file, 'fma.rn.f32');
  const { stopped } = await stopAt(c, file, [{ line }]);
  await move(c, 'continue', { threadId: stopped.threadId });
  const back = await move(c, 'reverseContinue', { threadId: stopped.threadId });
  assert.strictEqual(back.reason, 'breakpoint');
  assert.strictEqual(back.threadId, stopped.threadId);
});

test('32 lanes of a register, and setting one', async (c) => {
  const file = sample('saxpy.ptx'), line = lineOf(file, 'fma.rn.f32');
  const { stopped } = await stopAt(c, file, [{ line }]);
  const registers = await scope(c, (await top(c, stopped.threadId)).id, 'Registers');
  const one = registers.find((v) => v.name === '%f2');
  const lanes = (await c.variablesRequest({ variablesReference: one.variablesReference })).body.variables;
  assert.strictEqual(lanes.length, 32);
  const set = await c.setVariableRequest({ variablesReference: one.variablesReference, name: lanes[4].name, value: '0.25' });
  assert.strictEqual(set.body.value, '0.25');
  const again = (await c.variablesRequest({ variablesReference: one.variablesReference })).body.variables;
  assert.strictEqual(again[4].value, '0.25');
  assert.strictEqual(again[5].value, lanes[5].value);
});

test('shared memory: elements, reading and writing', async (c) => {
  const file = sample('dot.ptx'), line = lineOf(file, 'bar.sync');
  const { stopped } = await stopAt(c, file, [{ line }]);
  const shared = await scope(c, (await top(c, stopped.threadId)).id, 'Shared memory');
  assert(shared.length > 0 && shared[0].memoryReference);
  const memoryReference = shared[0].memoryReference;
  const wrote = await c.send('writeMemory', { memoryReference, data: Buffer.from([1, 2, 3, 4]).toString('base64') });
  assert.strictEqual(wrote.body.bytesWritten, 4);
  const read = await c.send('readMemory', { memoryReference, count: 4 });
  assert.deepStrictEqual([...Buffer.from(read.body.data, 'base64')], [1, 2, 3, 4]);
});

test('a data breakpoint on a register', async (c) => {
  const file = sample('saxpy.ptx'), line = lineOf(file, 'fma.rn.f32');
  const { stopped } = await stopAt(c, file, [{ line }]);
  const frame = await top(c, stopped.threadId);
  const info = (await c.send('dataBreakpointInfo', { name: '%f4', frameId: frame.id })).body;
  assert(info.dataId);
  const set = (await c.send('setDataBreakpoints', { breakpoints: [{ dataId: info.dataId, accessType: 'write' }] })).body;
  assert.strictEqual(set.breakpoints[0].verified, true);
  await c.setBreakpointsRequest({ source: { path: file }, breakpoints: [] });
  assert.strictEqual((await move(c, 'continue', { threadId: stopped.threadId })).reason, 'data breakpoint');
});

test('function and instruction breakpoints, disassembly', async (c) => {
  await launched(c, { program: sample('saxpy.ptx') });
  const set = await c.setFunctionBreakpointsRequest({ breakpoints: [{ name: 'saxpy' }] });
  assert.strictEqual(set.body.breakpoints[0].verified, true);
  const [, stopped] = await Promise.all([c.configurationDoneRequest({}), c.waitForEvent('stopped')]);
  assert.strictEqual(stopped.body.reason, 'function breakpoint');
  const frame = await top(c, stopped.body.threadId);
  const text = (await c.send('disassemble', { memoryReference: frame.instructionPointerReference, instructionOffset: -1, instructionCount: 5 })).body.instructions;
  assert.strictEqual(text.length, 5);
  assert.strictEqual(text[0].presentationHint, 'invalid');
  assert.strictEqual(text[1].symbol, 'saxpy');
  await c.setFunctionBreakpointsRequest({ breakpoints: [] });
  const at = await c.send('setInstructionBreakpoints', { breakpoints: [{ instructionReference: text[3].address }] });
  assert.strictEqual(at.body.breakpoints[0].verified, true);
  const hit = await move(c, 'continue', { threadId: stopped.body.threadId });
  assert.strictEqual(hit.reason, 'instruction breakpoint');
  assert.strictEqual((await top(c, hit.threadId)).instructionPointerReference, text[3].address);
});

test('a fault stops with its description', async (c) => {
  await launched(c, { program: path.join(files, 'fault.ptx') });
  await c.setExceptionBreakpointsRequest({ filters: ['fault'] });
  const [, stopped] = await Promise.all([c.configurationDoneRequest({}), c.waitForEvent('stopped')]);
  assert.strictEqual(stopped.body.reason, 'exception');
  const info = (await c.send('exceptionInfo', { threadId: stopped.body.threadId })).body;
  assert.match(info.description, /out of bounds/);
});

test('bank conflicts as an exception, with a bound', async (c) => {
  await launched(c, { program: sample('banks.ptx') });
  await c.send('setExceptionBreakpoints', { filters: [], filterOptions: [{ filterId: 'conflict', condition: '10' }] });
  const [, stopped] = await Promise.all([c.configurationDoneRequest({}), c.waitForEvent('stopped')]);
  assert.strictEqual(stopped.body.reason, 'exception');
});

test('pause stops a kernel that spins', async (c) => {
  await launched(c, { program: path.join(files, 'spin.ptx'), history: false });
  await c.configurationDoneRequest({});
  await new Promise((go) => setTimeout(go, 300));
  const [, stopped] = await Promise.all([c.pauseRequest({ threadId: 1 }), c.waitForEvent('stopped')]);
  assert.strictEqual(stopped.body.reason, 'pause');
});

test('breakpoints set while a kernel runs take effect', async (c) => {
  const file = path.join(files, 'spin.ptx');
  await launched(c, { program: file, history: false });
  await c.configurationDoneRequest({});
  await new Promise((go) => setTimeout(go, 200));
  const stopping = c.waitForEvent('stopped');
  await c.setBreakpointsRequest({ source: { path: file }, breakpoints: [{ line: lineOf(file, 'add.u64') }] });
  assert.strictEqual((await stopping).body.reason, 'breakpoint');
});

test('the console in the editor: gdb commands, motions among them', async (c) => {
  const file = sample('saxpy.ptx'), line = lineOf(file, 'fma.rn.f32');
  const { stopped } = await stopAt(c, file, [{ line }]);
  const splits = await c.evaluateRequest({ expression: 'info splits', context: 'repl' });
  assert.match(splits.body.result, /lanes 0xffffffff/);
  const stopping = c.waitForEvent('stopped');
  await c.evaluateRequest({ expression: 'stepi', context: 'repl' });
  await stopping;
  assert.strictEqual((await top(c, stopped.threadId)).line, line + 1);
});

test('variables of the source, with their parts; hover; demangled names', async (c) => {
  const file = path.join(files, '..', 'debug', 'locals.ptx');
  const source = path.join(files, '..', 'debug', 'locals.cu');
  await launched(c, { program: file });
  const set = await c.setBreakpointsRequest({ source: { path: source }, breakpoints: [{ line: 45, condition: 'i == 5' }, { line: 46, condition: 'nothing == 1' }, { line: 14 }] });
  assert.deepStrictEqual(set.body.breakpoints.map((b) => b.verified), [true, false, true]);
  assert.match(set.body.breakpoints[1].message, /nothing/);
  assert.strictEqual(set.body.breakpoints[2].line, 15); // the next line with code
  const [, stopped] = await Promise.all([c.configurationDoneRequest({}), c.waitForEvent('stopped')]);
  const threadId = stopped.body.threadId;
  const frame = await top(c, threadId);
  assert.deepStrictEqual([frame.name, frame.line, fs.realpathSync(frame.source.path)], ['fall', 45, fs.realpathSync(source)]);
  const locals = await scope(c, frame.id, 'Locals');
  const value = (list, name) => list.find((v) => v.name === name).value;
  assert.strictEqual(value(locals, 'i'), '5');
  assert.strictEqual(value(locals, 'kind'), 'GREEN');
  const mine = locals.find((v) => v.name === 'mine');
  assert.strictEqual(mine.type, 'Body');
  const parts = (await c.variablesRequest({ variablesReference: mine.variablesReference })).body.variables;
  assert.deepStrictEqual(parts.map((p) => p.name), ['position', 'mass', 'id']);
  const position = (await c.variablesRequest({ variablesReference: parts[0].variablesReference })).body.variables;
  assert.deepStrictEqual(position.map((p) => p.value), ['3.125', '3.25', '3.375']);
  const back = await c.setVariableRequest({ variablesReference: mine.variablesReference, name: 'mass', value: '9' });
  assert.strictEqual(back.body.value, '9');
  const args = await scope(c, frame.id, 'Arguments');
  assert.strictEqual(value(args, 'n'), '32');
  const bodies = args.find((v) => v.name === 'bodies');
  const pointed = (await c.variablesRequest({ variablesReference: bodies.variablesReference })).body.variables;
  assert.strictEqual(value(pointed, 'mass'), '0.375');
  const hover = await c.evaluateRequest({ expression: 'mine.position[1]', frameId: frame.id, context: 'hover' });
  assert.strictEqual(hover.body.result, '3.25');
  await move(c, 'next', { threadId });
  assert.strictEqual((await top(c, threadId)).line, 46);
  const data = (await c.send('dataBreakpointInfo', { name: 'mine', frameId: frame.id }).catch(() => ({ body: {} }))).body;
  assert(data !== undefined);
});

test('stops at a breakpoint at the first instruction', async (c) => {
  const file = sample('saxpy.ptx');
  await launched(c, { program: file });
  await c.setFunctionBreakpointsRequest({ breakpoints: [{ name: 'saxpy' }] });
  const [, stopped] = await Promise.all([c.configurationDoneRequest({}), c.waitForEvent('stopped')]);
  assert.strictEqual(stopped.body.reason, 'function breakpoint');
  const position = await c.evaluateRequest({ expression: 'info position', context: 'repl' });
  assert.match(position.body.result, /^Position 0 /);
});

// Lines of the PTX are shown, so they are what a step is, wherever the adapter was started.
test('the file shown and the steps agree without the source', async (c) => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'ptxsim-dap-'));
  const file = path.join(folder, 'sum.ptx');
  fs.copyFileSync(path.join(files, '..', 'debug', 'sum.ptx'), file);
  try {
    await launched(c, { program: file, cwd: folder, stopOnEntry: true });
    const [, stopped] = await Promise.all([c.configurationDoneRequest({}), c.waitForEvent('stopped')]);
    const threadId = stopped.body.threadId;
    for (let k = 0; k < 3; k++) {
      const before = await top(c, threadId);
      assert.match(before.source.path, /sum\.ptx$/);
      await move(c, 'next', { threadId });
      const by = (await top(c, threadId)).line - before.line; // a .loc line may stand between
      assert(by === 1 || by === 2, `${by} lines`);
    }
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
});

test('with the source, steps are its lines in any working folder', async (c) => {
  const file = path.join(files, '..', 'debug', 'sum.ptx');
  await launched(c, { program: file, cwd: os.tmpdir(), stopOnEntry: true });
  const [, stopped] = await Promise.all([c.configurationDoneRequest({}), c.waitForEvent('stopped')]);
  const threadId = stopped.body.threadId;
  const first = await top(c, threadId);
  assert.match(first.source.path, /sum\.cu$/);
  await move(c, 'next', { threadId });
  const second = await top(c, threadId);
  assert.match(second.source.path, /sum\.cu$/);
  assert.notStrictEqual(second.line, first.line);
});

const calls = path.join(files, '..', 'debug', 'calls.ptx');

test('threads are warps; steps into a function and out of it; from the start again', async (c) => {
  const line = lineOf(calls, 'call ');
  const { stopped } = await stopAt(c, calls, [{ line }]);
  const threadId = stopped.threadId;
  const { threads } = (await c.threadsRequest()).body;
  assert(threads.some((t) => t.id === threadId && t.name === 'block (0,0,0) warp 0'), JSON.stringify(threads));
  const { breakpoints } = (await c.send('breakpointLocations', { source: { path: calls }, line: line - 1, endLine: line })).body;
  assert(breakpoints.some((b) => b.line === line));
  const depth = async () => (await c.stackTraceRequest({ threadId })).body.stackFrames.length;
  const outside = await depth();
  await move(c, 'stepIn', { threadId });
  assert.strictEqual(await depth(), outside + 1);
  await move(c, 'stepOut', { threadId });
  assert.strictEqual(await depth(), outside);
  await move(c, 'restart', {});
  assert.strictEqual((await top(c, threadId)).line, line);
  const [, exited] = await Promise.all([c.send('terminate', {}), c.waitForEvent('terminated')]);
  assert(exited);
});

test('memory and counters as variables, and what is assigned', async (c) => {
  await launched(c, { program: calls, stopOnEntry: true, counters: true });
  const [, { body: { threadId } }] = await Promise.all([c.configurationDoneRequest({}), c.waitForEvent('stopped')]);
  await move(c, 'next', { threadId });
  const { id: frameId } = await top(c, threadId);
  const parameters = await scope(c, frameId, 'Parameters');
  assert(parameters.length > 0);
  const table = (await scope(c, frameId, 'Global and constant memory')).find((v) => v.name === 'table');
  const cells = (await c.variablesRequest({ variablesReference: table.variablesReference })).body.variables;
  assert.strictEqual(cells[0].name, '[0]');
  const some = (await c.variablesRequest({ variablesReference: table.variablesReference, start: 1, count: 1 })).body.variables;
  assert.deepStrictEqual(some.map((v) => v.name), ['[1]']);
  const counters = await scope(c, frameId, 'Counters');
  assert(counters.some((v) => v.name === 'warp instructions' && v.value === '1'), JSON.stringify(counters));
  assert(counters.some((v) => v.name === 'launch.instructions'));
  const set = await c.send('setExpression', { expression: '%i', value: '41 + 1', frameId });
  assert.match(set.body.value, /^(42|0x2a)$/);
  await assert.rejects(c.send('setExpression', { expression: '%nothing', value: '1', frameId }));
});

test('views: lanes of registers, what is in memory, costs by line', async (c) => {
  const file = sample('tile.ptx');
  await assert.rejects(c.send('ptxsim_registers', {}), /no kernel is running/);
  await launched(c, { program: file, stopOnEntry: true, counters: true });
  const [, { body: { threadId } }] = await Promise.all([c.configurationDoneRequest({}), c.waitForEvent('stopped')]);
  await move(c, 'next', { threadId });
  const { id: frameId } = await top(c, threadId);
  const { registers } = (await c.send('ptxsim_registers', { frameId })).body;
  assert(registers.length > 0 && registers.every((r) => r.lanes.length === 32));
  const one = (await c.send('ptxsim_registers', { frameId, names: [registers[0].name] })).body.registers;
  assert.deepStrictEqual(one.map((r) => r.name), [registers[0].name]);
  const { variables } = (await c.send('ptxsim_memory', {})).body;
  assert(variables.some((v) => v.space === 'global') && variables.some((v) => v.space === 'shared'), JSON.stringify(variables));
  const { lines } = (await c.send('ptxsim_lines', {})).body;
  assert(lines.every((l) => l.line > 0));
  assert.strictEqual((await c.send('ptxsim_state', {})).body.state, 'stopped');
});

test('views: an access on another architecture, and one that is none', async (c) => {
  const file = sample('saxpy.ptx'), line = lineOf(file, 'st.global');
  await stopAt(c, file, [{ line }]);
  const here = (await c.send('ptxsim_access', {})).body;
  assert.strictEqual(here.line, line);
  assert.strictEqual(here.width, 4);
  const old = (await c.send('ptxsim_access', { arch: 'sm_13' })).body;
  assert.strictEqual(old.banks, 16);
  assert.strictEqual(here.banks, 32);
  await assert.rejects(c.send('ptxsim_access', { arch: 'sm_1' }), /no such architecture/);
  await assert.rejects(c.send('ptxsim_matrix', { operand: 'A' }), /no matrix instruction/);
});

test('views: a matrix by its places', async (c) => {
  const file = path.join(files, '..', 'debug', 'matrix.ptx');
  await stopAt(c, file, [{ line: lineOf(file, 'mma.sync') }]);
  const a = (await c.send('ptxsim_matrix', { operand: 'A' })).body;
  assert.match(a.title, /^A [0-9]+x[0-9]+u? /);
  const places = new Set(a.cells.map(([part, row, column]) => `${part} ${row} ${column}`));
  assert.strictEqual(places.size, a.cells.length);
});

test('a key of a launch that is not known is told', async (c) => {
  const told = [];
  c.on('output', (e) => told.push(e.body.output));
  await launched(c, { program: sample('saxpy.ptx'), name: 'x', type: 'ptxsim', __sessionId: '1', env: {}, ' name': 1, kernel: 'other' });
  const lines = told.filter((t) => t.includes('not known'));
  assert.strictEqual(lines.length, 2, told.join());
  assert(/key " name"/.test(lines[0]) && /key "kernel" .* "args"/.test(lines[1]), told.join());
});

test('every launch that fails says why in its answer', async (c) => {
  const fails = async (options, words) => {
    const client = new DebugClient('node', 'x', 'ptxsim');
    const child = spawn(ptxsim, ['dap'], { stdio: ['pipe', 'pipe', 'inherit'] });
    client.connect(child.stdout, child.stdin);
    await client.initializeRequest({ adapterID: 'ptxsim' });
    await assert.rejects(client.launchRequest(options), words);
    const ended = new Promise((go) => child.once('exit', go));
    child.stdin.end();
    await ended;
  };
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'ptxsim-dap-'));
  const write = (name, text) => { fs.writeFileSync(path.join(dir, name), text); return path.join(dir, name); };
  const head = '.version 8.0\n.target sm_90\n.address_size 64\n';
  try {
    await fails({ program: '/nowhere/x.ptx' }, /\/nowhere\/x\.ptx: No such file/);
    await fails({}, /"program" names the file/);
    await fails({ program: sample('saxpy.ptx'), args: ['--nothing'] }, /--nothing/);
    await fails({ program: sample('saxpy.ptx'), args: '-k saxpy' }, /"args" must be an array of strings/);
    await fails({ program: sample('saxpy.ptx'), args: ['-k', 5] }, /"args" must be an array of strings/);
    await fails({ program: sample('saxpy.ptx'), sourceLevel: 'ptx' }, /"sourceLevel" must be "source" or "text"/);
    await fails({ program: sample('saxpy.ptx'), historyLimit: -1 }, /"historyLimit" must be a number of MiB/);
    await fails({ program: sample('saxpy.ptx'), cwd: '/nowhere' }, /folder/);
    await fails({ program: write('wrong.ptx', head + '.visible .entry k() { add.u32 x; }\n') }, /wrong\.ptx:4:.*error/);
    await fails({ program: write('none.ptx', head + '.visible .entry k() { ret; }\n') }, /no \/\/@ launch lines/);
    await fails({ program: sample('saxpy.ptx'), args: ['-k', 'other'] }, /no kernel 'other'/);
    await fails({ program: write('big.ptx', head + '//@ launch k() block=2000\n.visible .entry k() { ret; }\n') }, /2000|threads/);
    await fails({ program: write('arg.ptx', head + '//@ launch k(x)\n.visible .entry k(.param .u32 a) { ret; }\n') }, /'x'/);
  } finally {
    fs.rmSync(dir, { recursive: true });
  }
});

test('the state of a launch: mbarriers, and copies that have not been waited for', async (c) => {
  const file = sample('wgmma_ring.ptx');
  await launched(c, { program: file, stopOnEntry: true, sourceLevel: 'text' });
  await Promise.all([c.configurationDoneRequest({}), c.waitForEvent('stopped')]);
  await c.evaluateRequest({ expression: 'goto 400', context: 'repl' });
  const [block] = (await c.customRequest('ptxsim_state')).body.blocks;
  const empty = block.mbarriers.find((m) => m.address === 0xc018);
  assert.strictEqual(block.mbarriers.length, 6);
  assert.deepStrictEqual([empty.expected, empty.pending, empty.came, empty.waiting], [4, 3, 1, 1 << 4]);
  assert.strictEqual(block.copies.length, 2);
  assert(block.copies.every((x) => x.warp === 4 && x.lanes === 1 && x.globalBytes === 8192 && x.mbarrier === 0xc010));
  const lines = fs.readFileSync(file, 'utf8').split('\n');
  assert(block.copies.every((x) => lines[x.line - 1].includes('cp.async.bulk.tensor')));
});

test('the state of a launch: where lanes that have parted meet again', async (c) => {
  const file = sample('mandelbrot.ptx');
  await launched(c, { program: file, stopOnEntry: true, sourceLevel: 'text' });
  await Promise.all([c.configurationDoneRequest({}), c.waitForEvent('stopped')]);
  await c.evaluateRequest({ expression: 'catch divergence', context: 'repl' });
  await c.evaluateRequest({ expression: 'continue', context: 'repl' });
  await c.evaluateRequest({ expression: 'step', context: 'repl' });
  const { blocks, focus } = (await c.customRequest('ptxsim_state')).body;
  const warp = blocks.find((b) => b.index === focus.block).warps[focus.warp];
  assert(warp.joins.length > 0 && warp.joins[0].parent === -1 && warp.joins[0].line > 0, JSON.stringify(warp));
  const lanes = warp.splits.filter((s) => s.join === 0).reduce((m, s) => m | s.mask, 0);
  assert.strictEqual(lanes >>> 0, warp.joins[0].expected);
});

test('errors are answers', async (c) => {
  await c.initializeRequest({ adapterID: 'ptxsim' });
  await assert.rejects(c.launchRequest({ program: '/nowhere/x.ptx' }), /nothing can be launched/);
  await assert.rejects(c.send('continue', { threadId: 1 }), /nothing is launched/);
  await assert.rejects(c.send('frobnicate', {}), /not known/);
});

// The same over a loopback port.
async function overPort(body) {
  const child = spawn(ptxsim, ['dap', '--port', '0'], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const words = await new Promise((go) => child.stdout.once('data', (d) => go(String(d))));
    const port = Number(words.match(/127\.0\.0\.1:(\d+)/)[1]);
    const token = words.match(/token ([0-9a-f]{32})/)[1];
    const connect = async () => {
      const client = new DebugClient(ptxsim, 'dap', 'ptxsim');
      await client.start(port);
      return client;
    };
    await body({ port, token, connect });
  } finally {
    child.kill();
  }
}

async function launchesOverPort({ connect, token }) {
  for (let time = 0; time < 2; time++) { // one editor after the other
    const client = await connect();
    await launched(client, { program: sample('vecadd.ptx'), token });
    await Promise.all([client.configurationDoneRequest({}), client.waitForEvent('terminated')]);
    await client.disconnectRequest({}).catch(() => {});
    await new Promise((go) => setTimeout(go, 300));
  }
}

// Without the token, or with another one, nothing is launched, and the connection ends.
async function tokenIsNeeded({ connect, token }) {
  for (const wrong of [undefined, '', token.slice(1), token.slice(1) + 'x', 7, [token]]) {
    const client = await connect();
    await client.initializeRequest({ adapterID: 'ptxsim' });
    await assert.rejects(client.launchRequest({ program: sample('vecadd.ptx'), token: wrong }), /token/);
    await assert.rejects(Promise.race([
      client.launchRequest({ program: sample('vecadd.ptx'), token }),
      new Promise((_, fail) => setTimeout(() => fail(new Error('closed')), 500))]));
    await new Promise((go) => setTimeout(go, 300));
  }
}

// What bytes on a connection are answered with, until it is closed or for a second.
function exchange(port, bytes, address = '127.0.0.1') {
  return new Promise((go, fail) => {
    const socket = net.connect(port, address, () => socket.write(bytes));
    let answer = '', closed = false;
    socket.on('data', (d) => { answer += d; });
    socket.on('close', () => { closed = true; go({ answer, closed }); });
    socket.on('error', (e) => { if (e.code === 'ECONNREFUSED') fail(e); });
    setTimeout(() => { socket.destroy(); go({ answer, closed }); }, 1000);
  });
}

// A page in a browser can send a POST, whose body is a message with the right header.
async function browsersAreRefused({ port, token }) {
  const message = JSON.stringify({ seq: 1, type: 'request', command: 'launch', arguments: {
    token, program: sample('vecadd.ptx'), args: ['--save', 'c=' + path.join(os.tmpdir(), 'ptxsim-dap-test.npy')] } });
  const framed = `Content-Length: ${message.length}\r\n\r\n${message}`;
  for (const head of [`POST / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: text/plain\r\nContent-Length: ${framed.length}\r\n\r\n`,
    'GET / HTTP/1.1\r\n\r\n', `Content-Length: ${message.length}\r\nHost: x\r\n\r\n`, '\r\n', '{}\n', '\x16\x03\x01\x02\x00\x01']) {
    const { answer, closed } = await exchange(port, head + framed);
    assert.strictEqual(answer, '', head);
    assert.ok(closed, 'the connection ends: ' + head);
    await new Promise((go) => setTimeout(go, 100));
  }
  assert.ok(!fs.existsSync(path.join(os.tmpdir(), 'ptxsim-dap-test.npy')));
}

async function oneEditorAtATime({ port, connect, token }) {
  const first = await connect();
  await first.initializeRequest({ adapterID: 'ptxsim' });
  const message = JSON.stringify({ seq: 1, type: 'request', command: 'initialize', arguments: {} });
  const { answer, closed } = await exchange(port, `Content-Length: ${message.length}\r\n\r\n${message}`);
  assert.strictEqual(answer, '');
  assert.ok(closed);
  await first.launchRequest({ program: sample('vecadd.ptx'), token });
  await first.disconnectRequest({}).catch(() => {});
}

async function onlyLoopback({ port }) {
  const own = Object.values(os.networkInterfaces()).flat().filter((i) => !i.internal && i.family === 'IPv4');
  for (const i of own)
    await assert.rejects(exchange(port, 'x', i.address), /ECONNREFUSED/);
}

async function main() {
  let passed = 0, failed = 0;
  const count = (good) => { if (good) passed++; else failed++; };
  for (const t of tests) {
    count(await one(t.name, () => byEditor(ptxsim, t.body)));
  }
  for (const body of [launchesOverPort, tokenIsNeeded, browsersAreRefused, oneEditorAtATime, onlyLoopback])
    count(await one('a loopback port: ' + body.name, () => overPort(body)));
  console.log(`${passed} passed, ${failed} failed`);
  process.exit(failed ? 1 : 0);
}

main();
