/** Recognizes an error of any realm: `instanceof` fails for those of vm contexts, as in jsdom and jest. */
export const isError = (value: unknown): value is Error =>
  /^\[object (?:Error|DOMException)\]$/.test(Object.prototype.toString.call(value))
