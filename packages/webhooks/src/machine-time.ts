// The timers and clocks of the machine, read when this module is loaded. Fake timers of a test replace the global ones, and what
// waits for a database or for another request would then wait forever. Bundlers leave out what is not imported.

const read = <Value>(get: () => Value): Value => get()

export const startTimer = /* @__PURE__ */ read(() => globalThis.setTimeout)

/** Does not exist in browsers. */
export const startImmediate = /* @__PURE__ */ read(
  (): typeof setImmediate | undefined => globalThis.setImmediate,
)

export const MachineDate = Date

/** Returns the time since an arbitrary moment, in milliseconds. Does not exist in runtimes without `performance`, which have no inbox. */
export const readMonotonic = /* @__PURE__ */ read(() => globalThis.performance?.now.bind(performance))
