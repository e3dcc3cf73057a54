/** An environment variable; `undefined` where it is empty, or where the runtime has none or withholds it. */
export const environmentVariable = (name: 'WABAKIT_API_KEY' | 'WABAKIT_BASE_URL'): string | undefined => {
  try {
    return globalThis.process?.env?.[name] || undefined
  } catch {
    // Deno without the permission to read the environment.
    return undefined
  }
}
