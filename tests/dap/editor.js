// SPDX-License-Identifier: Apache-2.0
// What the tests of 'ptxsim dap' share: one test, within a limit of time, and an editor that comes and leaves.
'use strict';
const { DebugClient } = require('@vscode/debugadapter-testsupport');

const wait = (ms) => new Promise((go) => setTimeout(go, ms));

async function one(name, body) {
  let timer;
  const late = new Promise((_, fail) => { timer = setTimeout(() => fail(new Error('no answer in 30 s')), 30000); });
  try {
    await Promise.race([body(), late]);
    return true;
  } catch (e) {
    console.log(`FAIL ${name}: ${e.stack || e}`);
    return false;
  } finally {
    clearTimeout(timer);
  }
}

// Ends the server as an editor does, and waits until it has ended by itself: the client's own stop() sends a signal.
async function leave(client, args) {
  const server = client._adapterProcess;
  client._adapterProcess = null;
  if (!server) return;
  const ended = new Promise((go) => server.exitCode !== null || server.signalCode !== null ? go(true) : server.once('exit', () => go(true)));
  await Promise.race([client.disconnectRequest(args || {}).catch(() => {}), ended]);
  server.stdin.end();
  if (await Promise.race([ended, wait(10000).then(() => false)])) return;
  server.kill('SIGKILL');
  throw new Error('the server goes on after the editor has left');
}

// Runs a test's body with an editor that has started the adapter, and lets it leave.
async function byEditor(ptxsim, body) {
  const client = new DebugClient(ptxsim, 'dap', 'ptxsim');
  client.defaultTimeout = 20000;
  await client.start();
  try {
    await body(client);
  } finally {
    await leave(client);
  }
}

module.exports = { byEditor, leave, one, wait };
