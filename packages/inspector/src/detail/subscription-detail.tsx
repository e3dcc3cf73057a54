import type { Subscription } from '../api/types.ts'
import type { DetailProps } from '../list/list-view.tsx'
import { JsonView } from '../parts/json-view.tsx'
import { Panel } from '../parts/panel.tsx'

export const SubscriptionDetail = ({ id, item }: DetailProps<Subscription>) => (
  <Panel title={id} label="Subscription">
    {item !== undefined && <JsonView text={JSON.stringify(item)} />}
  </Panel>
)
