import { expect, test } from 'vitest'
import { showsText } from './decode-effects.ts'

test('an escape beyond Unicode is no character, and what follows it is found', () => {
  expect(showsText('{"path":"C:\\Uffffffff","recap":"Gr\\u00fc\\u00dfe"}', 'Grüße')).toBe(true)
  expect(showsText('\\u{110000} Gr\\u{fc}\\u{df}e', 'Grüße')).toBe(true)
})
