import { getParam, setParams } from '../state/route.ts'

type TabList = readonly { readonly id: string; readonly title: string }[]

export const findTab = (tabs: TabList): string =>
  tabs.find(({ id }) => id === getParam('tab'))?.id ?? tabs[0]?.id ?? ''

/** A row of tabs. The page's URL contains the id of the selected tab. */
export const Tabs = ({ label, tabs }: { readonly label: string; readonly tabs: TabList }) => {
  const current = findTab(tabs)
  const move = (event: KeyboardEvent): void => {
    const by = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0
    const next = tabs[(tabs.findIndex(({ id }) => id === current) + by + tabs.length) % tabs.length]
    if (by === 0 || next === undefined) return
    setParams({ tab: next.id })
    document.getElementById(`tab-${next.id}`)?.focus()
  }
  return (
    <div class="tabs" role="tablist" aria-label={label}>
      {tabs.map(({ id, title }) => (
        <button
          key={id}
          id={`tab-${id}`}
          type="button"
          role="tab"
          aria-selected={id === current}
          aria-controls="tab-panel"
          tabIndex={id === current ? 0 : -1}
          onKeyDown={move}
          onClick={() => setParams({ tab: id })}
        >
          {title}
        </button>
      ))}
    </div>
  )
}
