import type { Delivery } from '../api/types.ts'
import type { DetailProps } from '../list/list-view.tsx'
import { JsonView } from '../parts/json-view.tsx'
import { Panel } from '../parts/panel.tsx'

export const DeliveryDetail = ({ id, item }: DetailProps<Delivery>) => (
  <Panel title={id} label="Delivery">
    {item !== undefined && <JsonView text={JSON.stringify(item)} />}
  </Panel>
)
