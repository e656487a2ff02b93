() => [...document.querySelectorAll(".fw-drawing svg")].flatMap((svg) => {
    const { width, height } = svg.viewBox.baseVal;
    return [...svg.querySelectorAll("text")].filter((text) => {
        const box = text.getBBox();
        return box.x < 0 || box.y < 0 || box.x + box.width > width || box.y + box.height > height;
    }).map((text) => text.textContent);
})
