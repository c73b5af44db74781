// The rules in our own words, by language. The screen draws them; pictures are named in `games/towers/pictures.js`.

/** @typedef {{p: string} | {list: string[]} | {picture: string, caption?: string}} Part */
/** @typedef {{heading: string, body: Part[]}} Section */

/** @type {Section[]} */
const english = [
  { heading: 'The aim', body: [
    { p: 'Build up to five towers, one of each type. Every card in a tower is a point; a roof doubles its tower; your tallest tower counts once more.' },
    { picture: 'skyline' },
  ] },
  { heading: 'The auction', body: [
    { p: 'Five cards lie in the row. In turn, everyone once names how many of them they would build, each number higher than the last, or passes. Whoever named the highest number builds exactly that many cards of their choice.' },
    { picture: 'row' },
  ] },
  { heading: 'Building', body: [
    { p: 'A card goes on the tower of its type, and must be lower than the top card.' }, { picture: 'lower' },
    { p: 'Anything goes on an 8.' }, { picture: 'eight' },
    { p: 'A 9 goes on anything but a roof.' }, { picture: 'nine' },
    { p: 'A 0 is a roof. Nothing goes on it.' }, { picture: 'roof' },
    { p: 'Before the first card of your build you may demolish one top card, never a roof. The first one costs 1 point, the second 2, and so on.' }, { picture: 'demolish' },
  ] },
];

/**
 * @param {string} language
 * @returns {Promise<Section[]>}
 */
export async function loadRules(language) {
  void language;
  return english;
}
