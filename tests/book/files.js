async (figure) => {
    const files = {};
    const create = URL.createObjectURL;
    let last; // no page may fetch, not even what it has made itself
    URL.createObjectURL = (made) => create.call(URL, (last = made));
    for (const link of figure.querySelectorAll(".fw-data a")) {
        const stop = (event) => event.preventDefault();
        link.addEventListener("click", stop);
        link.click();
        link.removeEventListener("click", stop);
        if (link.download in files) throw new Error(`two links to ${link.download}`);
        files[link.download] = await last.text();
    }
    URL.createObjectURL = create;
    return files;
}
