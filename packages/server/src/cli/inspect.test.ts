import { expect, test } from 'vitest'
import { findOpener } from './inspect.ts'

test("a page is opened by the platform's command", () => {
  expect(findOpener('win32')).toEqual(['rundll32', 'url.dll,FileProtocolHandler'])
  expect(findOpener('darwin')).toEqual(['open'])
  expect(findOpener('linux')).toEqual(['xdg-open'])
  expect(findOpener('freebsd')).toEqual(['xdg-open'])
})
