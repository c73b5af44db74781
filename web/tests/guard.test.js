import test from 'node:test';
import assert from 'node:assert/strict';
import { Guard, REFUSED_MS, SETTLE_MS } from '../guard.js';

/** The part of a control that the guard uses. */
class Control {
  marks = new Set();
  setAttribute = (name) => this.marks.add(name);
  removeAttribute = (name) => this.marks.delete(name);
  hasAttribute = (name) => this.marks.has(name);
  closest = () => this;
}

/** A page of such controls, with manual time and frames. */
function page(context) {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const frames = [];
  let top = null;
  globalThis.requestAnimationFrame = (then) => frames.push(then);
  globalThis.document = { elementFromPoint: () => top };
  const refused = [];
  const guard = new Guard((control) => refused.push(control));
  return {
    guard,
    refused,
    /** Draws these controls; `under` is the one where the finger last was. */
    draw(controls, under = null) {
      top = under;
      guard.rendered({ querySelectorAll: () => controls });
    },
    frame() {
      for (const then of frames.splice(0)) then();
    },
    wait: (ms) => context.mock.timers.tick(ms),
    /** Puts a finger down on this control. */
    touch(control) {
      guard.spot = [10, 10];
      guard.under = control;
    },
    press(control) {
      guard.pressed = control;
      return guard.allows();
    },
  };
}

test('ignores a new control until it has been on the screen for a moment, and shows that', (context) => {
  const ana = page(context);
  const finish = new Control();
  ana.draw([finish]);
  ana.wait(SETTLE_MS * 10);
  assert.ok(finish.marks.has('data-settling'), 'the moment begins with the frame that shows it');
  ana.frame();
  ana.wait(SETTLE_MS - 1);
  assert.equal(ana.press(finish), false);
  ana.wait(1);
  assert.ok(!finish.marks.has('data-settling'));
  assert.equal(ana.press(finish), true);
});

test('marks and names the control of an ignored press for a while', (context) => {
  const ana = page(context);
  const start = new Control();
  ana.draw([start]);
  ana.press(start);
  assert.deepEqual([start.marks.has('data-refused'), ana.refused], [true, [start]]);
  ana.frame();
  ana.wait(REFUSED_MS);
  assert.ok(!start.marks.has('data-refused'));
});

test('restarts the settling time of a control, and the time of each refusal', (context) => {
  const ana = page(context);
  const [pass, finish] = [new Control(), new Control()];
  ana.touch(pass);
  ana.draw([pass, finish], pass);
  ana.frame();
  ana.wait(SETTLE_MS - 50);
  ana.draw([pass, finish], finish);
  ana.frame();
  ana.wait(SETTLE_MS - 1);
  assert.equal(ana.press(finish), false, 'it came under the finger later than it came');
  ana.frame();
  ana.wait(REFUSED_MS - 1);
  assert.ok(finish.marks.has('data-refused'));
  ana.wait(1);
  assert.ok(!finish.marks.has('data-refused'));
});

test('ignores a press that began while its control was settling', (context) => {
  const ana = page(context);
  const heard = {};
  globalThis.addEventListener = (type, listener) => {
    heard[type] = listener;
  };
  ana.guard.listen();
  const finish = new Control();
  ana.draw([finish]);
  ana.frame();
  heard.pointerdown({ target: finish, clientX: 1, clientY: 1 });
  ana.wait(SETTLE_MS);
  heard.click({ target: finish });
  assert.equal(ana.guard.allows(), false);
  heard.pointerdown({ target: finish, clientX: 1, clientY: 1 });
  heard.click({ target: finish });
  assert.equal(ana.guard.allows(), true, 'the next tap is meant');
});

test('accepts quick presses on an unchanged control while the table changes', (context) => {
  const ana = page(context);
  const undo = new Control();
  ana.draw([undo]);
  ana.frame();
  ana.wait(SETTLE_MS);
  for (let times = 0; times < 5; times += 1) {
    ana.draw([undo, new Control()]);
    assert.equal(ana.press(undo), true);
  }
});

test('settles only the control that appears under the finger', (context) => {
  const ana = page(context);
  const [bid, pass, close] = [new Control(), new Control(), new Control()];
  ana.draw([bid, pass]);
  ana.frame();
  ana.wait(SETTLE_MS);
  ana.draw([bid, pass, close], close);
  ana.touch(close);
  ana.draw([bid, pass], bid);
  assert.equal(ana.press(bid), false);
  assert.equal(ana.press(pass), true);
});

test('accepts a key that presses no control at once', (context) => {
  const ana = page(context);
  ana.draw([new Control()]);
  assert.equal(ana.press(null), true);
});
