import type { Overview } from '@wabakit/server/control-types'
import { Choice } from '../parts/choice.tsx'
import { getParam, setParams } from '../state/route.ts'

type Window = Overview['window']

const windows = {
  hour: { label: 'Hour', title: 'The last hour, by minutes' },
  day: { label: 'Day', title: 'The last day, by ten minutes' },
  week: { label: 'Week', title: 'The last week, by hours' },
} as const

const isWindow = (text: string): text is Window => Object.hasOwn(windows, text)

/** Returns the period that the page's URL selects. */
export const getWindow = (): Window => {
  const chosen = getParam('window')
  return isWindow(chosen) ? chosen : 'hour'
}

export const WindowChoice = () => (
  <Choice
    label="Period"
    value={getWindow()}
    choices={Object.keys(windows)
      .filter(isWindow)
      .map((value) => ({ value, ...windows[value] }))}
    onChange={(window) => setParams({ window })}
  />
)
