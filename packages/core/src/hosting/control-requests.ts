/** The path of the control API, on every host. */
export const controlPath = '/_wabakit'

/** The path of the page that shows what the control API reports. */
export const inspectorPath: string = `${controlPath}/inspector`

/** Maximum length of the body of a request to the control API, in bytes. */
export const controlBodyMaxBytes = 1_048_576
