/** An event without a detail. */
export type Plain = Record<never, never>;

/** Emits events; `Events` has the types of their details by the types of the events. */
export class Emitter<Events extends object> extends EventTarget {
  emit<Type extends keyof Events & string>(type: Type, detail: Events[Type] = {} as Events[Type]): void {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }

  /** Listens to the details of events. */
  on<Type extends keyof Events & string>(type: Type, work: (detail: Events[Type]) => void): void {
    this.addEventListener(type, (event) => work((event as CustomEvent<Events[Type]>).detail));
  }
}
