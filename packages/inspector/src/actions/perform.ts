import { getMessage } from '../api/api-error.ts'
import { publishChange } from '../api/live.ts'
import { notify } from '../state/notices.ts'

/** Performs an action and says what it has done, or why it could not. */
export const perform = async (action: () => Promise<string>): Promise<boolean> => {
  try {
    notify(await action())
    publishChange()
    return true
  } catch (error) {
    notify(getMessage(error), { isProblem: true })
    return false
  }
}
