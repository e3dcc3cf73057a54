/** The head of a table. `columns` has the CSS classes of each column, by its title. */
export const TableHead = ({ columns }: { readonly columns: Readonly<Record<string, string>> }) => (
  <thead>
    <tr>
      {Object.entries(columns).map(([title, classes]) => (
        <th scope="col" key={title} class={classes}>
          {title}
        </th>
      ))}
    </tr>
  </thead>
)
