// Reads the QR code on a page from its pixels.

import assert from 'node:assert/strict';
import jsQR from 'jsqr';
import { shows } from './stage.js';

/** What the picture says. */
export async function scan(picture, what) {
  await shows(picture, `${what} should be shown`);
  await picture.evaluate((img) => img.decode());
  const photo = (await picture.screenshot()).toString('base64');
  // The page's own browser turns the photograph into pixels; nothing of the page is asked.
  const { data, width, height } = await picture
    .page()
    .context()
    .newPage()
    .then(async (darkroom) => {
      const pixels = await darkroom.evaluate(async (png) => {
        const bitmap = await createImageBitmap(await (await fetch(`data:image/png;base64,${png}`)).blob());
        const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
        const pen = canvas.getContext('2d');
        pen.drawImage(bitmap, 0, 0);
        return {
          data: [...pen.getImageData(0, 0, bitmap.width, bitmap.height).data],
          width: bitmap.width,
          height: bitmap.height,
        };
      }, photo);
      await darkroom.close();
      return pixels;
    });
  const found = jsQR(Uint8ClampedArray.from(data), width, height);
  assert.ok(found, `${what} should be readable by a camera`);
  return found.data;
}
