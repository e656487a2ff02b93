async (to) => {
    const make = (tag, given) => Object.assign(document.createElement(tag), given);
    const add = (tag, given) => document.body.append(make(tag, given));
    const ways = {
        fetch: (url) => void fetch(url, { mode: "no-cors" }).catch(() => 0),
        xhr: (url) => {
            const request = new XMLHttpRequest();
            request.open("GET", url);
            request.send();
        },
        beacon: (url) => navigator.sendBeacon(url, "report"),
        events: (url) => new EventSource(url),
        image: (url) => (new Image().src = url),
        script: (src) => add("script", { src }),
        style: (href) => add("link", { rel: "stylesheet", href }),
        font: (url) => new FontFace("sent", `url(${url})`).load().catch(() => 0),
        video: (src) => add("video", { src }),
        frame: (src) => add("iframe", { src }),
        object: (data) => add("object", { data }),
        worker: (url) => {
            const code = new Blob([`fetch("${url}", { mode: "no-cors" })`]);
            new Worker(URL.createObjectURL(code));
        },
        form: (action) => {
            const form = make("form", { action, target: "sent" });
            add("iframe", { name: "sent" });
            document.body.append(form);
            form.submit();
        },
    };
    for (const [name, go] of Object.entries(ways)) {
        try {
            go(`${to}/${name}`);
        } catch {
            // refused at once
        }
    }
    await new Promise((done) => setTimeout(done, 2000));
}
