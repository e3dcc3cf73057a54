import { ControlError } from './control-error.ts'

/** What the control API answers when what the path names is not there. */
export const notFound = (kind: string, id: string): ControlError =>
  new ControlError('not_found', `There is no ${kind} ${JSON.stringify(id)}.`)
