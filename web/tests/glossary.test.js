// One thing, one word: people who know a game from its box find its printed rulebook's words here too. What was once
// said otherwise, or is easily said otherwise, stands below in every inflection, beside what is said instead.

import test from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

const catalogue = (code) => Object.assign({}, ...['', 'after/', 'lesson/', 'more/'].map((part) => JSON.parse(readFileSync(new URL(`../i18n/${part}${code}.json`, import.meta.url), 'utf8'))));
const forms = (entry) => (typeof entry === 'string' ? [entry] : Object.values(entry));

/** Cards lie in one row, numbers of Qwantum in another; a language may have two words for them. */
const FIVE_TOWERS = /^(towers|rules|lesson\.towers)\./;

/** `[what is not said, what is said instead, in which keys]`; a term begins where a word begins. */
const GLOSSARY = {
  lt: [
    ['cukr', 'Saldainiai'], ['šmėkl', 'Siaubas'], ['metalas', 'Metalo laužas'], ['medis', 'Medžiai'],
    ['stog', 'viršūnė'], ['(pa)?siūl', 'šaukti'], ['pas(as|uo)', 'praleisti ėjimą'], ['virš [\\d{]', 'daugiau nei'],
    ['kalad', 'žaidimo kortų krūvelė'], ['atme(st|ta)', 'panaudotos kortos'], ['eilė: \\{name\\}', 'Ėjimas: {name}'],
    ['atsii', 'atšaukti (pašauktą skaičių)', FIVE_TOWERS], ['dalij(im|am)(?!asi)', 'nauja krūvelė', FIVE_TOWERS], ['pradedantys', 'pradedantis žaidėjas', /^rules\.mistakes$/],
  ],
  pl: [
    ['cukier(?!k)', 'Cukierkowa'], ['duch', 'Straszna'], ['drzew', 'Roślinna'], ['złom(?!ow)', 'Złomowa'], ['pias(ek|k(?!ow))', 'Piaskowa'],
    ['rz[ąę]d', 'wystawka', FIVE_TOWERS], ['(z|za)?burz', 'usunąć'], ['tali', 'stos do dobierania'], ['koś[cć]', 'kostka'], ['pud[łe]', 'błędny rzut'],
    ['oferta|oferci|wycof', 'licytacja, licytować od nowa'], ['górn(a|ą|ej) kart', 'ostatnia karta'], ['rozda', 'nowy stos do dobierania', FIVE_TOWERS], ['osoba rzucając', 'gracz aktywny'],
    ['brak \\{time\\}', 'nie ma od'], ['ruchy same', 'ruchy automatycznie'], ['wszystko leży', 'Wszystko ułożone'], ['wygrywa najwięcej', 'Wygrywa osoba z największą liczbą punktów'],
  ],
  hu: [
    ['cukor', 'Édesség'], ['szellem', 'Ijesztő'], ['roncs', 'Hulladék'], ['tető', 'toronytető'],
    ['sor(?!rend|ban,|ra)', 'kínálat', FIVE_TOWERS], ['kör', 'forduló'], ['lap(?!p[^a])', 'kártya'], ['eldob', 'dobópakli'],
    ['(ki)?oszt(ás|juk)', 'új húzópakli', FIVE_TOWERS], ['visszalép', 'Licit módosítása'], ['^vissza$', 'Visszavonás'], ['rontás', 'hibás dobás'],
  ],
  de: [
    ['bot dazu', 'Bot hinzufügen'], ['einziger zug', 'Einzig möglichen Zug automatisch ausführen'], ['bau: ', 'Baue: '], ['nachspiel', 'Wiederholung'],
  ],
};

for (const [code, terms] of Object.entries(GLOSSARY)) {
  test(`${code} says each thing in the one word for it`, () => {
    const wrong = [];
    for (const [key, entry] of Object.entries(catalogue(code))) {
      for (const [not, but, keys] of terms) {
        if (keys && !keys.test(key)) continue;
        const term = new RegExp(`(?<!\\p{L})${not}`, 'iu');
        for (const text of forms(entry)) if (term.test(text)) wrong.push(`${key}: ${text} (rather: ${but})`);
      }
    }
    assert.equal(wrong.length, 0, `${wrong.length} times another word:\n${wrong.join('\n')}`);
  });
}
