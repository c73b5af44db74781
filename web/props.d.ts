// The types of an element's attributes and listeners, as `h` takes them.

type ElementOf<Tag> = Tag extends keyof HTMLElementTagNameMap
  ? HTMLElementTagNameMap[Tag]
  : Tag extends keyof SVGElementTagNameMap
    ? SVGElementTagNameMap[Tag]
    : Element;

/** Elements at which events of their own arrive, never those of a child. */
type Field = 'input' | 'select' | 'form' | 'img';

/** An event at an element that `h` describes. */
export type EventAt<Tag, Kind extends Event> = Kind & {
  target: Tag extends Field ? ElementOf<Tag> : Element;
  currentTarget: ElementOf<Tag>;
};

/** Attributes, properties and listeners of an element. `hook` is called once with the new element. */
export interface Props<Tag = string> {
  [name: string]: unknown;
  key?: string | number;
  class?: string;
  style?: { [property: string]: string | number | undefined };
  hook?(element: ElementOf<Tag>): void;
  oncancel?(event: EventAt<Tag, Event>): void;
  onchange?(event: EventAt<Tag, Event>): void;
  onclick?(event: EventAt<Tag, MouseEvent>): void;
  onerror?(event: EventAt<Tag, Event>): void;
  onfocus?(event: EventAt<Tag, FocusEvent>): void;
  oninput?(event: EventAt<Tag, InputEvent>): void;
  onkeydown?(event: EventAt<Tag, KeyboardEvent>): void;
  onsubmit?(event: EventAt<Tag, SubmitEvent>): void;
}
