/** Decodes the code points that JSON and programming languages write in a quoted text. Removes all other backslashes. */
const decodeEscapes = (text: string): string =>
  text
    .replace(
      /\\U([\da-fA-F]{8})|\\[ux]\{([\da-fA-F]+)\}|\\u([\da-fA-F]{4})|\\x([\da-fA-F]{2})/g,
      (found, ...digits: (string | undefined)[]) => {
        const code = Number.parseInt(digits.slice(0, 4).find(Boolean) ?? '', 16)
        if (code > 0x10ffff) return found
        return code > 0xffff ? String.fromCodePoint(code) : String.fromCharCode(code)
      },
    )
    .replaceAll('\\', '')

/** Decodes what C, Python and shells write for the bytes of a text. */
const decodeBytes = (text: string): string =>
  text.replace(/(?:\\x[\da-f]{2}|\\[0-3][0-7]{2})+/gi, (run) =>
    Buffer.from(
      run
        .split('\\')
        .slice(1)
        .map((code) => (/^x/i.test(code) ? Number.parseInt(code.slice(1), 16) : Number.parseInt(code, 8))),
    ).toString(),
  )

const decodePercents = (text: string): string =>
  text.replace(/(?:%[\da-f]{2})+/gi, (run) => Buffer.from(run.replaceAll('%', ''), 'hex').toString())

/** Some functions also write letters as entities. These three letters are in the doctor's texts. */
const entities: Readonly<Record<string, string>> = {
  ...{ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" },
  ...{ ouml: 'ö', uuml: 'ü', szlig: 'ß' },
}

const decodeEntities = (text: string): string =>
  text.replace(/&(?:#(\d{1,6})|#x([\da-f]{1,5})|([a-z]{2,5}));/gi, (entity, decimal, hex, name) =>
    name === undefined
      ? String.fromCodePoint(decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal))
      : (entities[name.toLowerCase()] ?? entity),
  )

const includesText = (forms: readonly string[], text: string): boolean =>
  forms.some((form) => form.normalize().includes(text.normalize()))

/** Returns whether effects show a text, as it is or in the notation of JSON, a programming language or a URL. */
export const showsUnescaped = (effects: string, text: string): boolean => {
  const decoded = decodeEscapes(effects)
  return includesText(
    [decoded, decodeBytes(effects), decodePercents(decoded), decodePercents(decoded.replaceAll('+', ' '))],
    text,
  )
}

/** Returns whether effects show a text in one of these notations, or in HTML. */
export const showsText = (effects: string, text: string): boolean =>
  showsUnescaped(effects, text) || includesText([decodeEntities(decodeEscapes(effects))], text)

const maxContext = 12
const maxExcerpt = 150

/**
 * Returns the part of an effect that stands where `text` stands in another effect of the same form or, if it cannot be found, the
 * beginning.
 */
export const excerptLike = (
  effect: string,
  like: { readonly effect: string; readonly text: string },
): string => {
  const at = like.effect.indexOf(like.text)
  const end = at + like.text.length
  const [before, after] = [
    like.effect.slice(Math.max(0, at - maxContext), Math.max(0, at)),
    like.effect.slice(end, end + 2),
  ]
  const found = before === '' ? -1 : effect.indexOf(before)
  if (found === -1) return effect.slice(0, maxExcerpt) || 'nothing'
  const rest = effect.slice(found + before.length)
  const length = after === '' ? -1 : rest.indexOf(after)
  return rest.slice(0, Math.min(maxExcerpt, length === -1 ? maxExcerpt : length)) || 'nothing'
}
