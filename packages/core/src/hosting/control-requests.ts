/** The path of the control API, on every host. */
export const controlPath = '/_wabakit'

/** Maximum length of a request to the control API, in bytes. */
export const controlBodyMaxBytes = 1_048_576
