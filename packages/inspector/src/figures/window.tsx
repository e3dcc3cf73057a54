import { Choice } from '../components/choice.tsx'
import { Moment } from '../components/moment.tsx'
import { getNow } from '../state/now.ts'
import { getParam, type Params, setParams } from '../state/route.ts'

const day = 86_400_000

const windows = {
  hour: { label: 'Hour', title: 'The last hour, by minutes' },
  day: { label: 'Day', title: 'The last day, by ten minutes' },
  week: { label: 'Week', title: 'The last week, by hours' },
  range: { label: 'Range', title: 'A range of times' },
} as const

type Window = keyof typeof windows

const isWindow = (text: string): text is Window => Object.hasOwn(windows, text)

const getChoice = (): Window => {
  const chosen = getParam('window')
  return isWindow(chosen) ? chosen : 'hour'
}

/** Returns the period that the page's URL selects, as the control API takes it. */
export const getWindow = (): Params =>
  getChoice() === 'range'
    ? { from: getParam('figuresFrom'), before: getParam('figuresBefore') }
    : { window: getChoice() }

/** Returns the parameters of the page's URL that select the period, for links to other views. */
export const getWindowParams = () => ({
  window: getParam('window'),
  figuresFrom: getParam('figuresFrom'),
  figuresBefore: getParam('figuresBefore'),
})

export const WindowChoice = () => {
  const choose = (window: Window): void => {
    const figuresFrom = window === 'range' ? new Date(getNow() - day).toISOString() : ''
    setParams({ window, figuresFrom, figuresBefore: '' })
  }
  return (
    <>
      <Choice
        label="Period"
        value={getChoice()}
        choices={Object.keys(windows)
          .filter(isWindow)
          .map((value) => ({ value, ...windows[value] }))}
        onChange={choose}
      />
      {getChoice() === 'range' && (
        <span class="moments period">
          <Moment name="figuresFrom" label="Period" word="from" />
          <Moment name="figuresBefore" label="Period" word="before" />
        </span>
      )}
    </>
  )
}
