import type { Event } from '../api/types.ts'
import type { DetailProps } from '../list/list-view.tsx'
import { JsonView } from '../parts/json-view.tsx'
import { Panel } from '../parts/panel.tsx'

export const EventDetail = ({ id, item }: DetailProps<Event>) => (
  <Panel title={id} label="Event">
    {item !== undefined && <JsonView text={JSON.stringify(item)} />}
  </Panel>
)
