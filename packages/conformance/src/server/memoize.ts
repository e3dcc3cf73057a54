/** Returns a function that runs `work` at its first call, and returns the same result at every call. */
export const memoize = <Result>(work: () => Result): (() => Result) => {
  let memory: { readonly result: Result } | undefined
  return () => {
    memory ??= { result: work() }
    return memory.result
  }
}
