// Headless Firefox, driven by WebDriver BiDi over its own socket, without a separate driver. Taps are touches.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Page, listen } from './page.js';
import { openFolder, startProgram } from './processes.js';
import { connect } from './websocket.js';

/** A phone has no pointer but the finger; and nothing is fetched that a page did not ask for. */
const PREFERENCES = {
  'dom.w3c_touch_events.enabled': 1,
  'ui.primaryPointerCapabilities': 1,
  'ui.allPointerCapabilities': 1,
  'widget.gtk.overlay-scrollbars.enabled': true,
  'ui.useOverlayScrollbars': 1,
  'intl.accept_languages': 'en-GB',
  'app.normandy.enabled': false,
  'app.update.enabled': false,
  'browser.aboutwelcome.enabled': false,
  'browser.shell.checkDefaultBrowser': false,
  'browser.startup.page': 0,
  'datareporting.policy.dataSubmissionEnabled': false,
  'extensions.update.enabled': false,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'services.settings.server': 'data:,',
  'toolkit.telemetry.reportingpolicy.firstRun': false,
};

/** Somebody's phone with nothing remembered. `first` is what runs in each page before its own scripts. */
export async function openFirefox(program, { viewport, deviceScaleFactor }, first) {
  const folder = openFolder('firefox');
  const lines = Object.entries(PREFERENCES).map(
    ([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});`,
  );
  writeFileSync(join(folder.path, 'user.js'), lines.join('\n'));
  const browser = await startProgram(
    program,
    ['--headless', '--no-remote', '--profile', folder.path, '--remote-debugging-port', '0'],
    {
      ready: /WebDriver BiDi listening on ws:\/\/127\.0\.0\.1:(\d+)/,
      env: { HOME: folder.path, MOZ_CRASHREPORTER_DISABLE: '1' },
    },
  );
  const close = async () => {
    await browser.close();
    folder.close();
  };
  try {
    const bidi = openBidi(Number(browser.said[1]));
    await bidi('session.new', { capabilities: {} });
    const { context } = await bidi('browsingContext.create', { type: 'tab' });
    await bidi('browsingContext.setViewport', { context, viewport, devicePixelRatio: deviceScaleFactor });
    for (const script of [listen, ...first])
      await bidi('script.addPreloadScript', { functionDeclaration: `() => { (${script})(); }` });
    return new Page(
      {
        go: (url) => bidi('browsingContext.navigate', { context, url, wait: 'complete' }),
        async run(source) {
          const answer = await bidi('script.callFunction', {
            functionDeclaration: source,
            awaitPromise: true,
            target: { context },
          });
          if (answer.type === 'exception') throw new Error(answer.exceptionDetails.text);
          return answer.result.value;
        },
        perform: (actions) => bidi('input.performActions', { context, actions }),
        picture: async () => (await bidi('browsingContext.captureScreenshot', { context })).data,
        close,
      },
      'touch',
    );
  } catch (error) {
    await close();
    throw error;
  }
}

/** Commands are numbered, and answers carry the number. */
function openBidi(port) {
  const waiting = new Map();
  const gone = () => {
    for (const { reject } of waiting.values()) reject(new Error('Firefox is gone'));
    waiting.clear();
  };
  const line = connect(
    port,
    '/session',
    (text) => {
      const { id, type, result, error, message } = JSON.parse(text);
      if (!waiting.has(id)) return;
      const { method, resolve, reject } = waiting.get(id);
      waiting.delete(id);
      if (type === 'success') resolve(result);
      else reject(new Error(`${method}: ${error}: ${message}`));
    },
    gone,
  );
  let last = 0;
  return (method, params) =>
    new Promise((resolve, reject) => {
      last += 1;
      waiting.set(last, { method, resolve, reject });
      line.send(JSON.stringify({ id: last, method, params }));
    });
}
