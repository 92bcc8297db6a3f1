import type { ReactNode } from 'react'
import { Tab, TabList, TabPanel, Tabs } from 'react-aria-components'

interface TabSetProps {
  readonly label: string
  readonly selected?: string
  readonly onSelect?: (id: string) => void
  readonly tabs: readonly { readonly id: string; readonly label: ReactNode; readonly content: ReactNode }[]
}

export function TabSet({ label, selected, onSelect, tabs }: TabSetProps) {
  return (
    <Tabs
      {...(selected === undefined ? {} : { selectedKey: selected })}
      {...(onSelect === undefined ? {} : { onSelectionChange: (key) => onSelect(String(key)) })}
    >
      <TabList className="tabs-list" aria-label={label}>
        {tabs.map(({ id, label: name }) => (
          <Tab key={id} id={id} className="tab">
            {name}
          </Tab>
        ))}
      </TabList>
      {tabs.map(({ id, content }) => (
        <TabPanel key={id} id={id} className="pt-5 outline-none">
          {content}
        </TabPanel>
      ))}
    </Tabs>
  )
}
