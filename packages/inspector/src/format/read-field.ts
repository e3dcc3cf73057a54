/** Returns the text at a path in JSON; `undefined` if there is none. */
export const readField = (json: string, path: readonly string[]): string | undefined => {
  try {
    const found = path.reduce<unknown>((value, name) => Object(value)[name], JSON.parse(json))
    return typeof found === 'string' ? found : undefined
  } catch {
    return undefined
  }
}
