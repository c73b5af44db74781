// The texts use the words of the printed rulebooks, one for each thing. Words to avoid are listed below in every
// inflection, with the word to use instead.

import test from 'node:test';
import assert from 'node:assert/strict';
import { catalogue } from './texts.js';

const forms = (entry) => (typeof entry === 'string' ? [entry] : Object.values(entry));

/** Rows of cards and rows of Qwantum, for which a language may have different words. */
const FIVE_TOWERS = /^(towers|rules|lesson\.towers)\./;
const QWANTUM = /^(lesson\.)?qwantum\./;
const SCORE = /^towers\.score\./;

/** `[term to avoid, term to use, keys]`. A term begins at the beginning of a word. */
const GLOSSARY = {
  en: [
    ['(can|could|did|do|does|has|have|is|are|was|were) ?not(?!\\p{L})', 'a contraction'],
    ['(it|that|there) is(?!\\p{L})', 'a contraction'],
    ['whoever', 'who, or the player who'],
    ['records?', 'game file'],
    ['retract', 'change bid'],
    ['front page', 'Home'],
    ['counting up', 'Scoring'],
    ['hurry', 'Speed up bots'],
  ],
  lt: [
    ['cukr', 'Saldainiai'],
    ['šmėkl', 'Siaubas'],
    ['metalas', 'Metalo laužas'],
    ['medis', 'Medžiai'],
    ['stog', 'viršūnė'],
    ['(pa)?siūl', 'šaukti'],
    ['pas(as|uo)', 'praleisti ėjimą'],
    ['virš [\\d{]', 'daugiau nei'],
    ['kalad', 'žaidimo kortų krūvelė'],
    ['atme(st|ta)', 'panaudotos kortos'],
    ['eilė: \\{name\\}', 'Ėjimas: {name}'],
    ['tavo eilė', 'Tavo ėjimas'],
    ['atsii', 'keisti skaičių', FIVE_TOWERS],
    ['dalij(im|am)(?!asi)', 'nauja krūvelė', FIVE_TOWERS],
    ['pradedantys', 'pradedantis žaidėjas'],
    ['antr\\p{L}* mažiaus', 'antras pagal mažumą'],
    ['aukščiaus', 'pagrindinis bokštas', SCORE],
    ['nesėkm', 'tuščias metimas'],
    ['(at|už)(ver(ti|k|tas|ta)|vėr)', 'atidaryti, uždaryti, sukurti'],
    ['pal(ikti|ieka) (stalą|žaidimą)', 'išeiti'],
  ],
  pl: [
    ['cukier(?!k)', 'Cukierkowa'],
    ['duch', 'Straszna'],
    ['drzew', 'Roślinna'],
    ['złom(?!ow)', 'Złomowa'],
    ['pias(ek|k(?!ow))', 'Piaskowa'],
    ['rz[ąę]d', 'wystawka', FIVE_TOWERS],
    ['rz[ąę]d(?!ek|k)', 'rządek', QWANTUM],
    ['(z|za)?burz', 'usunąć'],
    ['tali', 'stos do dobierania'],
    ['koś[cć]', 'kostka'],
    ['pud[łe]', 'błędny rzut'],
    ['oferta|oferci|wycof', 'licytacja, licytować od nowa'],
    ['górn(a|ą|ej) kart', 'ostatnia karta'],
    ['(z|po)?bud(ować|uj|ujesz) (\\{count\\} )?kart', 'dołożyć'],
    ['rozda', 'nowy stos do dobierania', FIVE_TOWERS],
    ['osoba rzucając', 'gracz aktywny'],
    ['najwyższ', 'wybrana wieża', SCORE],
    ['drug\\p{L}* najmniejsz', 'druga najniższa'],
    ['(brak|nie ma od) \\{time\\}', 'nie ma już'],
    ['ruchy same', 'ruchy automatycznie'],
    ['wszystko leży', 'Wszystko ułożone'],
    ['wygrywa najwięcej', 'Wygrywa osoba z największą liczbą punktów'],
    ['księg', 'kronika'],
  ],
  hu: [
    ['cukor', 'Édesség'],
    ['szellem', 'Ijesztő'],
    ['roncs', 'Hulladék'],
    ['tető', 'toronytető'],
    ['sor(?!rend|ban,|ra)', 'kínálat', FIVE_TOWERS],
    ['kör', 'forduló'],
    ['lap(?!p[^a])', 'kártya'],
    ['eldob', 'dobópakli'],
    ['(ki)?oszt(ás|juk)', 'új húzópakli', FIVE_TOWERS],
    ['visszalép', 'Licit módosítása'],
    ['^vissza$', 'Visszavonás'],
    ['rontás', 'hibás dobás'],
    ['beépít', 'felépít'],
    ['fajt', 'típus'],
    ['felső kárty', 'legfelső kártya'],
    ['legmagas', 'fő torony', SCORE],
    ['jegyzőkönyv', 'játékfájl'],
    ['játszm', 'játék'],
    ['opció', 'játékbeállítás'],
  ],
  de: [
    ['bot dazu', 'Bot hinzufügen'],
    ['einzig(er|en)? (zug|möglich)', 'Zwangszüge'],
    ['bau: ', 'Baue: '],
    ['nachspiel', 'Wiederholung'],
    ['bonbon|spuk|schrott', 'Candy, Grusel, Metall'],
    ['d[aä]ch', 'Turmspitze'],
    ['reihen?(?!\\p{L})', 'Auslage', FIVE_TOWERS],
    ['karten? (nicht )?bauen', 'verbauen'],
    ['rückzieher', 'Gebot ändern'],
    ['aufzeichnung', 'Spieldatei'],
    ['zu(ge)?seh', 'zuschauen'],
    ['versuche es', 'Versuch es'],
    ['sichern', 'speichern'],
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
